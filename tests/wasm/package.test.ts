// The npm package: loading, the typed door, texts of every kind, and types that are what the core says.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { load, type EstimateResponse, type Failure } from "meshgauge";
import { expect, expectTypeOf, test } from "vitest";
import { load as loadInBrowser } from "../../wasm/package/browser.js";
import { path as typesPath, types } from "../../wasm/types/generate.mjs";

const module = new URL("../../wasm/package/meshgauge.wasm", import.meta.url);
const core = await load();

test("an estimate comes back as an object with its type", () => {
  const answer = core.api({
    command: "estimate",
    scenario: { model: "llama-2-7b", cluster: { system: "dgx-h100", gpus: 8 }, training: { engine: "fsdp2" } },
  });
  expectTypeOf(answer).toEqualTypeOf<EstimateResponse | Failure>();
  if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
  expect(answer.model.parameters).toBe(6_738_415_616); // the checkpoint's own count
  expect(answer.memory.stages.length).toBeGreaterThan(0);
});

test("a refusal names the place", () => {
  const answer = core.api({ command: "estimate", scenario: { model: "llama-2-7b", training: { micro_batch_size: -1 } } });
  if (answer.ok) throw new Error("a negative batch was accepted");
  expect(answer.issues.map((issue) => issue.path)).toContain("/training/micro_batch_size");
});

test("the module loads from bytes, from a file's URL, and over HTTP as a browser does", async () => {
  const wasmBinary = await readFile(module);
  const server = createServer((_, response) => response.end(wasmBinary)).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const wasmUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/meshgauge.wasm`;
  const cores = [await load({ wasmBinary }), await load({ wasmUrl: module }), await loadInBrowser({ wasmBinary }),
    await loadInBrowser({ wasmUrl })];
  server.close();
  const described = core.apiText('{"command":"describe"}');
  for (const other of cores) expect(other.apiText('{"command":"describe"}')).toBe(described);
});

test("the module asks its host for nothing but two calls that never do anything", async () => {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(await readFile(module)));
  expect(imports.map(({ name }) => name).sort()).toEqual(["emscripten_notify_memory_growth", "proc_exit"]);
});

test("large requests pass: the memory grows and earlier answers stay", () => {
  const before = core.apiText('{"command":"describe"}');
  const answer = JSON.parse(core.apiText(JSON.stringify({ command: "estimate", scenario: { model: "x".repeat(40_000_000) } })));
  expect(answer.ok).toBe(false);
  expect(core.apiText('{"command":"describe"}')).toBe(before);
});

test("any text crosses unharmed: other scripts, an emoji, NUL, and half a character is refused", () => {
  for (const model of ["模型", "\u{1f600}", "a\u0000b"]) {
    const answer = core.api({ command: "estimate", scenario: { model } });
    expect(answer.ok || answer.issues[0]?.message).toContain(JSON.stringify(model)); // as the core quotes it
  }
  expect(core.api({ command: "estimate", scenario: { model: "\ud800" } }).ok).toBe(false);
});

test("the committed types are what the core says; else run: node wasm/types/generate.mjs", async () => {
  expect(await readFile(typesPath, "utf8")).toBe(types(core));
});
