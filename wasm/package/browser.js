// @ts-check
// Loads the core in a page or worker, from the file beside this one unless told otherwise.
import { start } from "./core.js";

/** @type {typeof import("./index.js").load} */
export async function load({ module, wasmBinary, wasmUrl, all = false } = {}) {
  if (module) return start(module);
  if (wasmBinary) return start(await WebAssembly.compile(wasmBinary));
  // Written out, so that bundlers find both files.
  wasmUrl ??= all ? new URL("./meshgauge-all.wasm", import.meta.url) : new URL("./meshgauge.wasm", import.meta.url);
  const response = await fetch(wasmUrl);
  if (!response.ok) throw new Error(`meshgauge: ${response.url} answered ${response.status}`);
  return start(await WebAssembly.compile(await response.arrayBuffer()));  // works under any MIME type
}
