// What the core would take for each value that was set, found by leaving it out.
import { read, write } from '../state/pointer';
import type { Estimate, Refusal, Scenario } from './types';

export function defaultsOf(scenario: Scenario, ask: (request: object) => unknown): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const section of ['parallelism', 'training'] as const) {
    for (const key of Object.keys(scenario[section] ?? {})) {
      const path = `/${section}/${key}`;
      const answer = ask({ command: 'estimate', scenario: write(scenario, path, undefined), explain: false }) as Estimate | Refusal;
      if (answer.ok) defaults[path] = read(answer.scenario, path);
    }
  }
  return defaults;
}
