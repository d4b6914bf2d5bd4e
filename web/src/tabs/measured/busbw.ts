// Bus bandwidth as nccl-tests defines it (its doc/PERFORMANCE.md): size over time, times what the links really carry.
const shares: Record<string, (ranks: number) => number> = {
  all_reduce: (ranks) => (2 * (ranks - 1)) / ranks,
  all_gather: (ranks) => (ranks - 1) / ranks,
  reduce_scatter: (ranks) => (ranks - 1) / ranks,
  all_to_all: (ranks) => (ranks - 1) / ranks,
};

/** Bytes per second. */
export const busbw = (collective: string, ranks: number, bytes: number, seconds: number): number => ((shares[collective]?.(ranks) ?? 1) * bytes) / seconds;

/** Powers of two from one to the other, at most six of them. */
export function sizesBetween(first: number, last: number): number[] {
  const [low, high] = [Math.ceil(Math.log2(first)), Math.floor(Math.log2(last))];
  const every = Math.max(1, Math.ceil((high - low) / 5));
  return Array.from({ length: Math.max(0, Math.floor((high - low) / every) + 1) }, (_, i) => 2 ** (low + i * every));
}
