// @ts-check
// Loads the core in Node with all its commands, from the file beside this one unless told otherwise.
import { readFile } from "node:fs/promises";
import { start } from "./core.js";

/** @type {typeof import("./index.js").load} */
export async function load({ module, wasmBinary, wasmUrl = new URL("./meshgauge-all.wasm", import.meta.url) } = {}) {
  return start(module ?? (await WebAssembly.compile(wasmBinary ?? (await readFile(new URL(wasmUrl))))));
}
