// What is looked at: tab, cell of the memory grid, open ledger lines. None of it changes a figure.
import { tick } from 'svelte';
import type { Estimate } from '../core/types';
import { result } from './result.svelte';

export const tabs = ['memory', 'step', 'communication', 'plan', 'compare', 'measured', 'launch', 'learn'] as const;
export type Tab = (typeof tabs)[number];
export interface Cell {
  stage: number;
  phase: string;
}

class ViewState {
  tab = $state<Tab>('memory');
  /** undefined: follow the binding cell. */
  chosen = $state.raw<Cell>();
  open = $state.raw<ReadonlySet<string>>(new Set());
  /** On a phone the inputs are a sheet over the page. */
  editing = $state(false);
  /** The field that is being typed into. */
  typing = $state('');
  #left: ReturnType<typeof setTimeout> | undefined;
  /** The search is open. */
  searching = $state(false);
  /** The field that was asked for last: what holds it opens. */
  sought = $state('');

  /** The cell whose ledger is shown. */
  cellOf({ stages, binding }: Estimate['memory']): Cell {
    const chosen = this.chosen;
    return chosen && Object.hasOwn(stages[chosen.stage]?.phases ?? {}, chosen.phase) ? chosen : binding;
  }
  get cell(): Cell {
    return this.cellOf(result.estimate.memory);
  }

  /** Left for good only after a moment: what was clicked on must not move away under the pointer. */
  type(into: string): void {
    clearTimeout(this.#left);
    if (into) this.typing = into;
    else this.#left = setTimeout(() => (this.typing = ''), 250);
  }

  /** Into a field, wherever it is folded away. */
  async seek(path: string): Promise<void> {
    this.sought = '';
    await tick();
    this.sought = path;
    this.editing = true;
    await tick();
    document.getElementById(`field-${path}`)?.focus();
  }

  toggle(id: string, only = false): void {
    const open = new Set(only ? [] : this.open);
    if (this.open.has(id)) open.delete(id);
    else open.add(id);
    this.open = open;
  }

  /** Shows the ledger of a stage at its peak with the first line of a category open. */
  show(stage: number, category?: string): void {
    const at = result.estimate.memory.stages[stage];
    if (!at) return;
    this.tab = 'memory';
    this.chosen = { stage, phase: at.peak_phase };
    const line = at.lines.find((candidate) => candidate.category === category);
    if (line) this.open = new Set([line.id]);
  }

  /** For the link: stage.phase.line, as far as they were chosen. */
  get opened(): string | undefined {
    const [line] = this.open;
    if (!line && !this.chosen) return undefined;
    return [this.cell.stage, this.cell.phase, line ?? ''].join('.');
  }

  restore(tab: string | undefined, opened: string | undefined): void {
    this.tab = tabs.find((known) => known === tab) ?? 'memory';
    const [stage, phase, ...line] = (opened ?? '').split('.');
    this.chosen = stage && phase ? { stage: Number(stage), phase } : undefined;
    this.open = new Set(line.join('.') ? [line.join('.')] : []);
  }
}

export const view = new ViewState();
