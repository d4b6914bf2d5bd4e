// The shape of the translations of what the core says in English.
export interface CoreNames {
  /** Ledger lines by id. */
  lines: Record<string, string>;
  /** Symbols of formulas: "T" everywhere, "optimizer_moments.w" for one line. */
  symbols: Record<string, string>;
  /** What a field means, by path. */
  help: Record<string, string>;
  /** An issue or warning. */
  message: (english: string) => string;
}
