// The scenario a first visit shows, answered at build time.
import type { Scenario } from '../core/types';

export const defaultScenario: Scenario = {
  model: 'llama-3.1-70b',
  cluster: { system: 'dgx-h100', gpus: 64 },
  parallelism: { tensor_parallel_size: 8, pipeline_parallel_size: 4, sequence_parallel: true, zero_stage: 1 },
  training: {
    engine: 'megatron',
    precision: 'bf16',
    sequence_length: 8192,
    micro_batch_size: 1,
    global_batch_size: 128,
    tokens: 1e12,
  },
};

/** Equal by content, whatever the order of keys. */
export function sameScenario(a: Scenario, b: Scenario): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
