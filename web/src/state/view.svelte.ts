// What is looked at: tab, cell of the memory grid, open ledger lines. None of it changes a figure.
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

  /** The cell whose ledger is shown. */
  cellOf({ stages, binding }: Estimate['memory']): Cell {
    const chosen = this.chosen;
    return chosen && Object.hasOwn(stages[chosen.stage]?.phases ?? {}, chosen.phase) ? chosen : binding;
  }
  get cell(): Cell {
    return this.cellOf(result.estimate.memory);
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
