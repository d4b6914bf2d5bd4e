// The present scenario: what was set, with undo over whole scenarios.
import type { Scenario } from '../core/types';
import { defaultScenario } from './default-scenario';
import { read, write } from './pointer';

const depth = 100;

class ScenarioState {
  now = $state.raw<Scenario>(defaultScenario);
  /** True once anything was changed by hand. */
  touched = $state(false);
  /** The path last changed by hand, which no proposal touches. */
  edited = '';
  #past: Scenario[] = [];
  #future: Scenario[] = [];
  #editedAt = 0;

  get(path: string): unknown {
    return read(this.now, path);
  }

  /** Edits of one field in quick succession are one step of undo. */
  set(path: string, value: unknown): void {
    const at = Date.now();
    const continues = this.edited === path && at - this.#editedAt < 1000;
    this.#editedAt = at;
    this.replace(write(this.now, path, value), path, !continues);
  }

  replace(scenario: Scenario, edited = '', undoable = true): void {
    if (undoable) {
      this.#past = [...this.#past.slice(1 - depth), this.now];
      this.#future = [];
    }
    this.edited = edited;
    this.touched = true;
    this.now = scenario;
  }

  /** Opened from a link or from storage: nothing to undo. */
  open(scenario: Scenario): void {
    this.now = scenario;
  }

  undo(): void {
    const before = this.#past.pop();
    if (!before) return;
    this.#future.push(this.now);
    this.edited = '';
    this.now = before;
  }

  redo(): void {
    const after = this.#future.pop();
    if (!after) return;
    this.#past.push(this.now);
    this.now = after;
  }
}

export const scenario = new ScenarioState();
