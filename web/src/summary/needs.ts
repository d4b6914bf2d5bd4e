// What a stage needs of its card: everything on it, less the cached blocks that the allocator gives back before it
// gives up. The verdict is about these bytes; nvidia-smi shows the others, too.
import type { Stage } from '../core/types';

export const cacheOf = ({ device_bytes, needed_bytes }: Stage): number => Math.max(0, device_bytes - needed_bytes);

/** By category, at the peak. */
export function needsOf(stage: Stage): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { category, bytes } of stage.lines) sums[category] = (sums[category] ?? 0) + bytes;
  return { ...sums, overhead: Math.max(0, (sums.overhead ?? 0) - cacheOf(stage)) };
}
