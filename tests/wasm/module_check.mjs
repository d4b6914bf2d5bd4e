// The module loads through the package, answers, and stays small. Needs only Node.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { load } from "../../wasm/package/node.js";

const core = await load();
assert.equal(core.api({ command: "describe" }).ok, true);
assert.equal(core.api({ command: "no such command" }).ok, false);
const validate = { command: "validate", files: [] };

const module = await readFile(new URL("../../wasm/package/meshgauge.wasm", import.meta.url));
const small = await load({ wasmBinary: module });
assert.equal(small.apiText(JSON.stringify({ command: "describe" })), core.apiText(JSON.stringify({ command: "describe" })));
assert.deepEqual([small.api(validate).ok, core.api(validate).ok], [false, true]);
// By gzip itself: the zlib of Node has other block sizes, a hundredth longer.
const gzip = execFileSync("gzip", ["-9"], { input: module, maxBuffer: 2 ** 24 }).length;
const brotli = brotliCompressSync(module).length;
console.log(`meshgauge.wasm: ${module.length} bytes, ${gzip} with gzip, ${brotli} with brotli`);
assert.ok(gzip <= 180_000, "the compressed module is over 180 KB");
