// The verdict in words and figures, the same for the tiles, the one-line form and the announcement.
import type { Estimate } from '../core/types';
import { n, t } from '../text/language.svelte';

export type Verdict = 'fits' | 'no' | 'unsure';

/** Between 5 and 95 % nobody should bet on either answer. */
export function verdictOf({ fit_probability }: Estimate): Verdict {
  if (fit_probability >= 0.95) return 'fits';
  return fit_probability <= 0.05 ? 'no' : 'unsure';
}

/** Whose the figures are while the input is wrong. */
export const ofWhat = (example: boolean) => t(example ? 'verdict.of_example' : 'verdict.last_valid');

export const icons = { fits: 'yes', no: 'no', unsure: 'unsure' } as const;

export interface Words {
  verdict: Verdict;
  word: string;
  figure: string;
  capacity: string;
  scope: string;
}

export function verdictWords(estimate: Estimate): Words {
  const { memory, fit_probability } = estimate;
  const verdict = verdictOf(estimate);
  const gib = (bytes: number, digits = 1) => n().gib(bytes, digits);
  const probability = n().probability(fit_probability);
  const where = {
    stage: memory.binding.stage,
    phase: t(`phase.${memory.binding.phase as 'load'}`),
  };
  const capacity = t('verdict.capacity', { gib: gib(memory.capacity_bytes) });
  const figure = gib(memory.needed_bytes);
  switch (verdict) {
    case 'fits':
      return {
        verdict,
        word: t('verdict.fits'),
        figure,
        capacity,
        scope: figure === gib(memory.capacity_bytes) ? t('verdict.free', { gib: gib(memory.capacity_bytes - memory.needed_bytes, 2), probability }) : t('verdict.likely', { probability }),
      };
    case 'no':
      return {
        verdict,
        word: t('verdict.no'),
        figure,
        capacity,
        scope: t('verdict.over', { gib: gib(memory.needed_bytes - memory.capacity_bytes), ...where }),
      };
    case 'unsure':
      return {
        verdict,
        word: t('verdict.unsure'),
        figure: `${gib(memory.needed_low_bytes)}–${gib(memory.needed_high_bytes)}`,
        capacity,
        scope: t('verdict.maybe', { probability }),
      };
  }
}
