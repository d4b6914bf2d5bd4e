// How the tab shows memory: of one GPU or of all that hold the stage, in binary or decimal units, of which total.
import type { Estimate, Stage } from '../../core/types';
import { n } from '../../text/language.svelte';
import { totalsOf, type Total } from './rows';

export const units = ['GiB', 'GB'] as const;
export const scopes = ['gpu', 'all'] as const;
export const totals = ['allocated', 'reserved', 'device'] as const;

class How {
  unit = $state<(typeof units)[number]>('GiB');
  scope = $state<(typeof scopes)[number]>('gpu');
  total = $state<Total>('device');

  /** GPUs that a figure counts: one, or all of a stage, each as full as the fullest. */
  ranks({ scenario: { cluster, parallelism } }: Estimate): number {
    return this.scope === 'gpu' ? 1 : Number(cluster.gpus) / Number(parallelism.pipeline_parallel_size ?? 1);
  }

  of(stage: Stage, phase: string): number {
    return this.total === 'device' ? (stage.phases[phase] ?? 0) : totalsOf(stage, phase)[this.total];
  }

  print(bytes: number, digits = 2): string {
    return n().gib(bytes, digits, this.unit === 'GB' ? 1e9 : undefined);
  }
}

export const how = new How();
