// One table of everything that ./dev bench has measured:
//   node bench/table.mjs FOLDER [--keep]   of Google Benchmark's *_bench.json, wasm.json and rivals.json; --keep writes
//                                          them to bench/results too, with the machine described
//   node bench/table.mjs FILE              of what was kept
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const [source, keep] = process.argv.slice(2);
if (!source) throw new Error("usage: node bench/table.mjs FOLDER [--keep] | FILE");
const read = (/** @type {string} */ path) => JSON.parse(readFileSync(path, "utf8"));

/** @typedef {{name: string, seconds: number, items_per_second?: number, allocations?: number}} Native */
/** @typedef {{rival: string, commit: string, what: string, request: string, milliseconds: number}} Rival */
/** @typedef {{machine: object, native: Native[], wasm: Record<string, number>, rivals: Rival[]}} Results */

/** @param {string} folder @returns {Results} */
function collected(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith("_bench.json")).sort();
  const runs = files.flatMap((name) => read(join(folder, name)).benchmarks);
  const scale = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
  const native = runs.filter((run) => !run.error_occurred).map((run) => ({
    name: run.name,
    seconds: Number((run.cpu_time * scale[/** @type {keyof typeof scale} */ (run.time_unit)]).toPrecision(4)),
    ...(run.items_per_second && { items_per_second: Math.round(run.items_per_second) }),
    ...(run.allocations !== undefined && { allocations: Math.round(run.allocations) }),
  }));
  const beside = (/** @type {string} */ name, /** @type {unknown} */ none) => (existsSync(join(folder, name)) ? read(join(folder, name)) : none);
  const said = (/** @type {string} */ command, /** @type {string[]} */ ...flags) => execFileSync(command, flags, { encoding: "utf8" }).trim();
  const machine = {
    cpu: os.cpus()[0]?.model.trim(),
    cores: os.cpus().length,
    memory_bytes: os.totalmem(),
    kernel: `${os.type()} ${os.release()}`,
    compiler: said("c++", "--version").split("\n")[0],
    node: process.version,
    load_average: os.loadavg()[0],
    commit: said("git", "rev-parse", "--short=10", "HEAD"),
    date: new Date().toISOString().slice(0, 10),
  };
  return { machine, native, wasm: beside("wasm.json", {}), rivals: beside("rivals.json", []) };
}

const time = (/** @type {number} */ s) => {
  const [unit, factor] = s < 1e-6 ? ["ns", 1e9] : s < 1e-3 ? ["us", 1e6] : s < 1 ? ["ms", 1e3] : ["s", 1];
  return `${(s * Number(factor)).toPrecision(3)} ${unit}`;
};
const count = (/** @type {number | undefined} */ n) => (n === undefined ? "" : n.toLocaleString("en-US"));

/** @param {string[]} heads @param {string[][]} rows */
function print(heads, rows) {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) => `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  console.log([line(heads), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n"));
}

const results = statSync(source).isDirectory() ? collected(source) : /** @type {Results} */ (read(source));
console.log(`${Object.entries(results.machine).map(([key, value]) => `${key} ${value}`).join(", ")}\n`);
print(
  ["benchmark", "native", "items/s", "allocations", "WASM", "WASM / native"],
  results.native.map(({ name, seconds, items_per_second, allocations }) => {
    const wasm = results.wasm[name];
    return [name, time(seconds), count(items_per_second), count(allocations), wasm ? time(wasm / 1e3) : "", wasm ? (wasm / 1e3 / seconds).toFixed(2) : ""];
  }),
);
if (results.rivals.length > 0) {
  console.log("");
  // Of what evaluates many layouts at once, the time of one.
  const ours = new Map(results.native.map(({ name, seconds, items_per_second: rate }) => [name, rate && name.startsWith("evaluate/") ? 1 / rate : seconds]));
  print(
    ["rival, on examples of its own", "rival", "meshgauge", "rival / meshgauge"],
    results.rivals.map(({ rival, commit, what, request, milliseconds }) => {
      const seconds = ours.get(request) ?? NaN;
      return [`${rival} ${commit}: ${what}`, time(milliseconds / 1e3), time(seconds), (milliseconds / 1e3 / seconds).toFixed(1)];
    }),
  );
}
if (keep === "--keep") {
  const slug = `${os.cpus()[0]?.model ?? "machine"}`.toLowerCase().replace(/\(\w+\)|[^a-z0-9]+/g, " ").trim().replace(/ +/g, "-");
  const folder = fileURLToPath(new URL("results", import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${slug}.json`), `${JSON.stringify(results, null, 1)}\n`);
  console.log(`\nKept in bench/results/${slug}.json`);
}
