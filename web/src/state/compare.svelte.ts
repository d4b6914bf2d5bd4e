// What is compared: a pinned scenario, the present one, and the variants of a preset. The link holds the pinned one.
import type { Scenario } from '../core/types';

export const presets = ['engines', 'zero', 'recompute', 'systems'] as const;
export type Preset = (typeof presets)[number];

class CompareState {
  pinned = $state.raw<Scenario | null>(null);
  preset = $state<Preset | null>(null);
  /** Systems that were chosen to stand against the present one. */
  systems = $state.raw<string[]>([]);
  a = $state('');
  b = $state('');

  pin(scenario: Scenario): void {
    this.pinned = scenario;
    this.preset = null;
    [this.a, this.b] = ['pinned', 'present'];
  }

  choose(preset: Preset | null): void {
    this.preset = preset;
    [this.a, this.b] = ['', ''];
  }

  swap(): void {
    [this.a, this.b] = [this.b, this.a];
  }
}

export const compare = new CompareState();
