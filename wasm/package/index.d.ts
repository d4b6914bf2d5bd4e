// The meshgauge core: requests in, typed answers out. types.d.ts is generated; see wasm/types.
import type {
  DescribeResponse, EstimateResponse, GpuEntry, HandbookCase, ModelEntry, Scenario, SystemEntry,
} from "./types.js";

export type * from "./types.js";

export interface CatalogEntries {
  models: ModelEntry;
  gpus: GpuEntry;
  systems: SystemEntry;
  handbook: HandbookCase;
}
export type CatalogKind = keyof CatalogEntries;

export type Request =
  | { command: "estimate"; scenario: Scenario | `handbook:${string}`; explain?: boolean }
  | { command: "catalog"; kind: CatalogKind; id?: string }
  | { command: "describe" };

export interface Issue {
  /** A JSON pointer into the request's scenario. */
  path: string;
  message: string;
}
export interface Failure {
  ok: false;
  issues: Issue[];
}
export type Response<R extends Request = Request> =
  | Failure
  | (R extends { command: "estimate" } ? EstimateResponse
    : R extends { command: "catalog"; kind: infer K extends CatalogKind }
      ? { ok: true; kind: K } & (R extends { id: string } ? { entry: CatalogEntries[K] } : { entries: CatalogEntries[K][] })
    : DescribeResponse);

export interface Core {
  api<const R extends Request>(request: R): Response<R>;
  /** The same door for JSON text, as it is. */
  apiText(request: string): string;
}

export interface LoadOptions {
  /** The module itself; nothing is read or fetched then. */
  wasmBinary?: BufferSource;
  /** Where the module is; by default beside this file. */
  wasmUrl?: string | URL;
}
export function load(options?: LoadOptions): Promise<Core>;
