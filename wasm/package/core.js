// @ts-check
// Runs the compiled core: puts the request into its memory, calls it, takes the answer out.

/**
 * The module needs nothing from its host; what its C library imports either reports growth or never happens.
 * @param {WebAssembly.Module} module
 */
function importsOf(module) {
  /** @type {Record<string, Record<string, Function>>} */
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => {
      if (name !== "emscripten_notify_memory_growth") throw new Error(`meshgauge: the core stopped in ${name}`);
    };
  }
  return /** @type {WebAssembly.Imports} */ (imports);
}

/**
 * @param {WebAssembly.Module} module
 * @returns {Promise<import("./index.js").Core>}
 */
export async function start(module) {
  const instance = await WebAssembly.instantiate(module, importsOf(module));
  const { memory, malloc, free, meshgauge_api, _initialize } = /** @type {any} */ (instance.exports);
  _initialize();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /** @param {string} request */
  const apiText = (request) => {
    const bytes = encoder.encode(request);
    const sizeAt = malloc(4 + bytes.length);  // the answer's size, then the request
    const requestAt = sizeAt + 4;
    new Uint8Array(memory.buffer).set(bytes, requestAt);
    const responseAt = meshgauge_api(requestAt, bytes.length, sizeAt);
    const size = new DataView(memory.buffer).getUint32(sizeAt, true);  // a new view: memory may have grown
    const response = decoder.decode(new Uint8Array(memory.buffer, responseAt, size));
    free(responseAt);
    free(sizeAt);
    return response;
  };
  return { apiText, api: (request) => JSON.parse(apiText(JSON.stringify(request))) };
}
