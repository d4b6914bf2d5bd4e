// The same requests give the same bytes natively and in WASM.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { load } from "meshgauge";
import { expect, test } from "vitest";
import { corpus } from "../../wasm/types/corpus.mjs";

const build = process.env.MESHGAUGE_BUILD ?? fileURLToPath(new URL("../../build/release", import.meta.url));

/** Sends every request through the native core, a line each. */
function askNative(requests: string[]): string[] {
  const input = requests.map((text) => `${text}\n`).join("");
  const { stdout, status, error } = spawnSync(`${build}/native/api_lines`, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (error) throw error;
  expect(status).toBe(0);
  return stdout.split("\n").slice(0, -1);
}

const core = await load();
const requests = corpus(core);

test("there are at least 200 scenarios, answered and refused ones", () => {
  const answers = requests.filter((text) => text.startsWith('{"command":"estimate"')).map((text) => JSON.parse(core.apiText(text)));
  expect(answers.length).toBeGreaterThanOrEqual(200);
  expect(answers.filter((answer) => answer.ok).length).toBeGreaterThanOrEqual(100);
  expect(answers.filter((answer) => !answer.ok).length).toBeGreaterThanOrEqual(10);
});

test("the list of requests is the same on every run", () => {
  expect(corpus(core)).toEqual(requests);
});

test("every request gets the same bytes natively and in WASM", () => {
  const native = askNative(requests);
  expect(native.length).toBe(requests.length);
  const differing = requests.filter((request, i) => core.apiText(request) !== native[i]);
  expect(differing).toEqual([]);
});

test("every answer is JSON that says whether it is one, and every refusal gives reasons", () => {
  for (const request of requests) {
    const answer = JSON.parse(core.apiText(request));
    expect(typeof answer.ok, request).toBe("boolean");
    if (!answer.ok) {
      expect(answer.issues.length, request).toBeGreaterThan(0);
      for (const issue of answer.issues) expect([typeof issue.path, typeof issue.message], request).toEqual(["string", "string"]);
    }
  }
});
