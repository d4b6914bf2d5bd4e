// What is asked of the core for this tab, while it is shown.
import { everything } from '../../core/everything';
import type { Batch, LaunchSet } from '../../core/launch-types';
import type { Refusal } from '../../core/types';
import { Live } from '../../state/live.svelte';

/** As the command names them; a test holds this list against the core. */
export const targets = ['torchrun', 'fsdp2', 'deepspeed', 'accelerate', 'megatron', 'torchtitan', 'slurm'] as const;
export type Target = (typeof targets)[number];
export type Sets = Record<Target, LaunchSet | Refusal>;

export const sets = new Live<Sets>(async (scenario, _, signal) => {
  const answers = await Promise.all(targets.map((target) => everything.ask({ command: 'launch', target, scenario }, signal)));
  return Object.fromEntries(targets.map((target, i) => [target, answers[i]])) as Sets;
});

/** `about`: what is known of a batch, as JSON. */
export const batch = new Live<Batch | Refusal>(
  async (scenario, about, signal) => (await everything.ask({ command: 'batch', scenario, reference: JSON.parse(String(about)) as object }, signal)) as Batch | Refusal,
);
