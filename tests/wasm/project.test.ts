// The npm package as another project has it: packed, installed from the archive, used in Node and built by Vite.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "vite";

const packed = fileURLToPath(new URL("../../wasm/package", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "meshgauge-project-"));
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: project, encoding: "utf8" });

beforeAll(() => {
  const [{ filename }] = JSON.parse(run("npm", "pack", "--json", packed)) as [{ filename: string }];
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
  run("npm", "install", "--offline", "--no-audit", "--no-fund", `./${filename}`);
});
afterAll(() => rmSync(project, { recursive: true }));

test("a script of Node asks the packed core", () => {
  writeFileSync(
    join(project, "ask.js"),
    `import { load } from "meshgauge";
     const core = await load();
     const answer = core.api({ command: "estimate", scenario: { model: "gpt2-124m", cluster: { system: "dgx-h100", gpus: 8 } } });
     console.log(answer.model.parameters);`,
  );
  expect(run("node", "ask.js").trim()).toBe("124439808"); // openai-community/gpt2's own count
});

test("Vite finds both modules beside the page that asks for them", async () => {
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "index.html"), '<script type="module" src="/src/main.js"></script>');
  writeFileSync(
    join(project, "src/main.js"),
    `import { load } from "meshgauge";
     document.title = (await load({ all: location.hash === "#all" })).apiText('{"command":"describe"}');`,
  );
  await build({ root: project, logLevel: "error", build: { target: "esnext" } });
  const assets = readdirSync(join(project, "dist/assets")).map((name) => name.replace(/-[\w-]{8}\./, "."));
  expect(assets.sort()).toEqual(["index.js", "meshgauge-all.wasm", "meshgauge.wasm"]);
});
