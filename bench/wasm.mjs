// The requests of bench/requests.json asked of the WASM module in Node: {"name": milliseconds} on standard output.
import { readFile } from "node:fs/promises";
import { load } from "../wasm/package/node.js";

const root = new URL("..", import.meta.url);
const core = await load();

/** Mean over at least half a second or three runs, as Google Benchmark means. @param {string} request */
function milliseconds(request) {
  const answer = core.apiText(request);
  if (!answer.includes('"ok":true')) throw new Error(answer);
  const start = performance.now();
  for (let runs = 1; ; ++runs) {
    core.apiText(request);
    const spent = performance.now() - start;
    if (spent > 500 && runs >= 3) return spent / runs;
  }
}

/** @type {Record<string, number>} */
const times = {};
for (const { name, request } of JSON.parse(await readFile(new URL("bench/requests.json", root), "utf8"))) {
  for (const [i, path] of (request.files ?? []).entries())
    request.files[i] = { name: path, text: await readFile(new URL(path, root), "utf8") };
  times[name] = milliseconds(JSON.stringify(request));
}
console.log(JSON.stringify(times));
