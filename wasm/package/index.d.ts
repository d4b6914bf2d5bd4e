// The meshgauge core: requests in, typed answers out. types.d.ts is generated; see wasm/types.
import type {
  CheckResponse, CurveResponse, DescribeResponse, DetailResponse, DiagnoseResponse, EstimateResponse, GpuEntry,
  HandbookCase, ModelEntry, Scenario, SystemEntry, ValidateResponse,
} from "./types.js";

export type * from "./types.js";

export interface CatalogEntries {
  models: ModelEntry;
  gpus: GpuEntry;
  systems: SystemEntry;
  handbook: HandbookCase;
}
export type CatalogKind = keyof CatalogEntries;

/** A measured run; any subset of `measured` but none at all. */
export interface MeasuredRun {
  id?: string;
  source?: string;
  /** Runs of a family are summed up together; by default those of a source. */
  family?: string;
  scenario: Scenario;
  measured: {
    step_seconds?: number;
    allocated_bytes?: number;
    reserved_bytes?: number;
    device_bytes?: number;
    out_of_memory?: boolean;
    /** The pipeline rank whose memory was read; by default the one that needs most. */
    rank?: "last" | "first" | "max";
  };
  notes?: string;
}
/** A run that could not be put into a scenario. */
export interface SkippedRun {
  id?: string;
  source?: string;
  skipped: string;
}

/** What somebody says of a training run. Any figures that are enough for the others will do. */
export interface Claim {
  parameters?: number;
  /** That one token touches: fewer than all in a mixture of experts. */
  active_parameters?: number;
  /** A catalog id or a config.json, instead of parameters. */
  model?: string | Record<string, unknown>;
  tokens?: number;
  gpu?: string;
  /** A server type, instead of gpu. */
  system?: string;
  gpus?: number;
  days?: number;
  /** Instead of days. */
  hours?: number;
  gpu_hours?: number;
  tokens_per_second?: number;
  tokens_per_second_per_gpu?: number;
  tflops_per_gpu?: number;
  /** A share: 0.4 for 40 %. */
  mfu?: number;
  /** With a model, attention is counted too. */
  sequence_length?: number;
  precision?: NonNullable<NonNullable<Scenario["training"]>["precision"]>;
}

/** Where something was measured; what is not known is left out. */
export interface Place {
  gpu?: string;
  library?: string;
  ranks?: number;
  ranks_per_node?: number;
  gpus_per_node?: number;
  cpu?: boolean;
}
export type Measurement = { line: number; ranks?: number; ranks_per_node?: number } & (
  | { kind: "collective"; operation?: string; bytes: number; seconds: number; low_seconds?: number; high_seconds?: number; type?: string; in_place: boolean; wrong?: number; concurrent?: number }
  | { kind: "kernel"; op: string; format?: string; m?: number; n?: number; k?: number; groups?: number; bytes?: number; seconds: number; low_seconds?: number; high_seconds?: number }
  | { kind: "link"; link: string; bytes?: number; bytes_per_second?: number; latency_seconds?: number; both_directions?: boolean }
  | { kind: "step"; step?: number; seconds?: number; tokens_per_second?: number; tokens_per_second_per_gpu?: number; model_flops_per_gpu?: number; mfu?: number; allocated_bytes?: number; reserved_bytes?: number; device_bytes?: number }
);
export interface ImportResponse {
  ok: true;
  schema_version: 1;
  files: {
    name: string;
    /** Null: no tool is recognised. */
    tool: string | null;
    runs: { tool: string; first_line: number; place: Place; questions: (keyof Place | "operation")[]; notes: string[]; measurements: Measurement[] }[];
    unread: { line: number; text: string; reason: string }[];
    unread_left_out: number;
    measurements_left_out: number;
  }[];
}

export type Request =
  /** `explain`: the formula of each line (on). `timeline`: what each stage does when. */
  | { command: "estimate"; scenario: Scenario | `handbook:${string}`; profile?: Record<string, unknown>; explain?: boolean; timeline?: boolean }
  /** The operations of a layer, and the message of each transfer by itself, in the order of `traffic`. */
  | { command: "detail"; scenario: Scenario | `handbook:${string}`; profile?: Record<string, unknown> }
  /** A transfer over message sizes (bytes; powers of two if none are given); `transfer` is its place in `traffic`. */
  | { command: "curve"; scenario: Scenario | `handbook:${string}`; profile?: Record<string, unknown>; transfer: number; sizes?: number[] }
  | { command: "validate"; files: { file?: string; runs: (MeasuredRun | SkippedRun)[] }[]; profile?: Record<string, unknown> }
  | ({ command: "check" } & Claim)
  /** Texts hold PyTorch's out-of-memory message or what NCCL_DEBUG=INFO prints; a scenario of a model alone names the model. */
  | ({ command: "diagnose"; scenario?: Scenario | Pick<Scenario, "model"> | `handbook:${string}`; profile?: Record<string, unknown> }
    & ({ text: string } | { files: { name?: string; text: string }[] }))
  | { command: "import"; files: { name?: string; text: string }[]; place?: Place & { operation?: string } }
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
    : R extends { command: "curve" } ? CurveResponse
    : R extends { command: "detail" } ? DetailResponse
    : R extends { command: "validate" } ? ValidateResponse
    : R extends { command: "check" } ? CheckResponse
    : R extends { command: "diagnose" } ? DiagnoseResponse
    : R extends { command: "import" } ? ImportResponse
    : R extends { command: "catalog"; kind: infer K extends CatalogKind }
      ? { ok: true; kind: K } & (R extends { id: string } ? { entry: CatalogEntries[K] } : { entries: CatalogEntries[K][] })
    : DescribeResponse);

export interface Core {
  /** What runs here: another thread of the page may load it again without fetching and compiling it. */
  readonly module: WebAssembly.Module;
  api<const R extends Request>(request: R): Response<R>;
  /** The same door for JSON text, as it is. */
  apiText(request: string): string;
  /**
   * `import`, `calibrate`, `diagnose` and `band` on files of any length, which are handed over as they are: the answer
   * is the one that they would have got inside the request. Of the module with every command.
   */
  apiTextWithFiles(request: string, files: { name: string; bytes: Uint8Array }[]): string;
}

export interface LoadOptions {
  /** A core's `module`, compiled already. */
  module?: WebAssembly.Module;
  /** The module's bytes; nothing is read or fetched then. */
  wasmBinary?: BufferSource;
  /** Where the module is; by default beside this file. */
  wasmUrl?: string | URL;
  /**
   * In a page: loads the module with every command instead of the small one, which answers estimate, catalog and
   * describe. In Node every command is there.
   */
  all?: boolean;
}
export function load(options?: LoadOptions): Promise<Core>;
