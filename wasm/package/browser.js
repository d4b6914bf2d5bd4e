// @ts-check
// Loads the core in a page or worker, from the file beside this one unless told otherwise.
import { start } from "./core.js";

/** @type {typeof import("./index.js").load} */
export async function load({ wasmBinary, wasmUrl = new URL("./meshgauge.wasm", import.meta.url) } = {}) {
  if (wasmBinary) return start(await WebAssembly.compile(wasmBinary));
  const response = await fetch(wasmUrl);
  if (!response.ok) throw new Error(`meshgauge: ${response.url} answered ${response.status}`);
  return start(await WebAssembly.compile(await response.arrayBuffer()));  // works under any MIME type
}
