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
  const { memory, malloc, free, meshgauge_api, meshgauge_api_with_files, _initialize } = /** @type {any} */ (instance.exports);
  _initialize();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /**
   * @param {Uint8Array | Uint32Array} bytes
   * @returns {number} where a copy lies, for the caller to free
   */
  const put = (bytes) => {
    const at = malloc(bytes.byteLength + 1);
    if (at === 0) throw new Error(`meshgauge: no memory for ${bytes.byteLength} bytes`);
    new Uint8Array(memory.buffer).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), at >>> 0);
    return at >>> 0;
  };

  /**
   * `call` answers at an address and writes the answer's length to the one it gets.
   * @param {(size: number) => number} call
   */
  const answerOf = (call) => {
    const sizeAt = put(new Uint32Array(1));
    const responseAt = call(sizeAt) >>> 0;
    const size = new DataView(memory.buffer).getUint32(sizeAt, true);  // a new view: memory may have grown
    const response = decoder.decode(new Uint8Array(memory.buffer, responseAt, size));
    free(responseAt);
    free(sizeAt);
    return response;
  };

  /** @param {string} request */
  const apiText = (request) => {
    const bytes = encoder.encode(request);
    const requestAt = put(bytes);
    const response = answerOf((sizeAt) => meshgauge_api(requestAt, bytes.length, sizeAt));
    free(requestAt);
    return response;
  };

  /** @type {import("./index.js").Core["apiTextWithFiles"]} */
  const apiTextWithFiles = (request, files) => {
    if (!meshgauge_api_with_files) throw new Error("meshgauge: the small module reads no files, load it with `all`");
    const bytes = encoder.encode(request);
    const spans = files.flatMap(({ name, bytes: text }) => [encoder.encode(name), text]).map((part) => [put(part), part.length]);
    const spansAt = put(new Uint32Array(spans.flat())), requestAt = put(bytes);
    const response = answerOf((sizeAt) => meshgauge_api_with_files(requestAt, bytes.length, spansAt, files.length, sizeAt));
    for (const [at] of [...spans, [spansAt], [requestAt]]) free(at);
    return response;
  };
  return { module, apiText, api: (request) => JSON.parse(apiText(JSON.stringify(request))), apiTextWithFiles };
}
