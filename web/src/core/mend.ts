// The nearest scenario that the core accepts when one value was typed that the others do not go with: the typed one stays.
import { fixesOf, type Fix } from './fix';
import { fieldOf, read, write } from '../state/pointer';
import type { Describe, Estimate, Issue, Refusal, Scenario } from './types';

export interface Mend {
  scenario: Scenario;
  /** What differs, with the value that will hold: set, or the core's default. */
  changes: Fix[];
}
type Ask = (request: object) => unknown;

const rounds = 8;
const degree = (name: string) => `/parallelism/${name}_parallel_size`;
/** In the order in which they give way: pipeline first, tensor parallel last. */
const degrees = ['pipeline', 'context', 'tensor'].map(degree);
const data = degree('data');

export function mendOf(scenario: Scenario, edited: string, ask: Ask): Mend | null {
  const { fields } = ask({ command: 'describe' }) as Describe;
  const estimate = (of: Scenario) => ask({ command: 'estimate', scenario: of, explain: false }) as Estimate | Refusal;
  const stays = (path: string) => edited !== '' && (path === edited || path.startsWith(`${edited}/`));
  let candidate = scenario;
  for (let round = 0; round < rounds; round++) {
    const answer = estimate(candidate);
    if (answer.ok) return found(scenario, withoutPointless(candidate, answer, stays), estimate);
    const next = fitDegrees(candidate, stays) ?? follow(candidate, answer.issues, stays, fields);
    if (!next) return null;
    candidate = next;
  }
  return null;
}

/** Smaller degrees whose product divides the GPUs; undefined if it does already. */
function fitDegrees(scenario: Scenario, stays: (path: string) => boolean): Scenario | undefined {
  const number = (path: string) => Number(read(scenario, path) ?? 1);
  const gpus = number('/cluster/gpus');
  const product = degrees.reduce((all, path) => all * number(path), 1);
  if (!(gpus >= 1) || !Number.isInteger(product) || read(scenario, '/cluster/gpus') === undefined) return undefined;
  const typed = read(scenario, data);
  if (typed !== undefined && !stays(data) && Number(typed) * product !== gpus) return write(scenario, data, undefined);
  const whole = typed === undefined ? gpus : gpus / Number(typed);
  if (Number.isInteger(whole / product)) return undefined;
  let next = scenario;
  for (const path of degrees.filter((of) => !stays(of))) {
    const others = degrees.filter((of) => of !== path).reduce((all, of) => all * Number(read(next, of) ?? 1), 1);
    for (let value = Number(read(next, path) ?? 1) - 1; value >= 1; value--) {
      if (Number.isInteger(whole / (others * value))) return write(next, path, value);
    }
    if (Number(read(next, path) ?? 1) > 1) next = write(next, path, 1);
  }
  return next === scenario ? undefined : next;
}

/** What the first message about something else than the typed value proposes, or that value's default. */
function follow(scenario: Scenario, issues: Issue[], stays: (path: string) => boolean, fields: Describe['fields']): Scenario | undefined {
  for (const issue of issues) {
    const fix = fixesOf(issue, fields).find(({ path }) => !stays(path) && !path.startsWith('/cluster/'));
    if (fix) return write(scenario, fix.path, fix.value);
    const path = fieldOf(issue.path);
    if (!stays(path) && read(scenario, path) !== undefined && /^\/(parallelism|training)\//.test(path)) return write(scenario, path, undefined);
  }
  return undefined;
}

/** Layout settings that no longer do anything go as well. */
function withoutPointless(scenario: Scenario, answer: Estimate, stays: (path: string) => boolean): Scenario {
  return answer.warnings
    .filter(({ path, message }) => !stays(path) && / has no effect\b/.test(message))
    .reduce((left, { path }) => write(left, fieldOf(path), undefined), scenario);
}

function found(before: Scenario, after: Scenario, estimate: (of: Scenario) => Estimate | Refusal): Mend | null {
  const answer = estimate(after);
  if (!answer.ok) return null;
  const paths = (['parallelism', 'training'] as const).flatMap((section) =>
    [...new Set([before, after].flatMap((of) => Object.keys(of[section] ?? {})))].map((key) => `/${section}/${key}`),
  );
  const changes = paths
    .filter((path) => JSON.stringify(read(before, path)) !== JSON.stringify(read(after, path)))
    .map((path) => ({ path, value: read(answer.scenario, path) }));
  return changes.length > 0 ? { scenario: after, changes } : null;
}
