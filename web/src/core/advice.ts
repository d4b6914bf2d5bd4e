// What to change: the core's own advice, one change and then two, ranked by what is asked for, and the best of it
// estimated in full. Runs in the worker of the module with every command.
import { fieldOf, read, write } from '../state/pointer';
import type { Fix } from './fix';
import type { Change, Estimate, Refusal, Scenario } from './types';

export type Goal = 'fit' | 'safe' | 'faster';
export interface Suggestion {
  changes: Fix[];
  scenario: Scenario;
  estimate: Estimate;
}
interface Candidate {
  changes: Fix[];
  scenario: Scenario;
  /** The core's, of the scenario with all its fields set; what they are by default may follow a change. */
  figures: Change;
}
type Ask = (request: object) => unknown;

const shown = 3;
/** Candidates whose whole estimate decides. */
const estimated = 16;
/** First changes that a second one is tried on. */
const beam = 3;
const data = '/parallelism/data_parallel_size';
/** Another job, more to pay, or host traffic that may not hide: never faster by comparison, the last way to make it fit. */
const dear = new Set([
  '/cluster/gpus',
  ...['sequence_length', 'global_batch_size', 'peft', 'optimizer', 'gradient_dtype', 'optimizer_offload', 'parameter_offload'].map((name) => `/training/${name}`),
]);
const isDear = ({ changes }: Pick<Candidate, 'changes'>) => changes.some(({ path }) => dear.has(path));

/** The data-parallel degree follows where nobody set it. */
function changed(scenario: Scenario, set: Record<string, unknown>): Pick<Candidate, 'changes' | 'scenario'> {
  const all = Object.entries(set).filter(([path]) => path !== data || read(scenario, data) !== undefined);
  const next = all.reduce((now, [path, value]) => write(now, path, value), scenario);
  return { scenario: next, changes: all.filter(([path]) => path !== data).map(([path, value]) => ({ path, value })) };
}

function oneMore(from: Pick<Candidate, 'changes' | 'scenario'>, ask: Ask): Candidate[] {
  const answer = ask({ command: 'advise', scenario: from.scenario }) as { ok: true; changes: Change[] } | Refusal;
  if (!answer.ok) return [];
  const taken = new Set(from.changes.map(({ path }) => path));
  return answer.changes
    .filter(({ set }) => !Object.keys(set).some((path) => taken.has(path)))
    .map((figures) => {
      const { scenario, changes } = changed(from.scenario, figures.set);
      return { scenario, changes: [...from.changes, ...changes], figures };
    });
}

/** Clear of the edge where the verdict turns uncertain, and by a margin that shows. */
const safe = ({ fit_probability, memory }: Estimate) => fit_probability >= 0.975 && memory.capacity_bytes - memory.needed_bytes >= 2 ** 30 / 10;

/** Nothing that fits at less than 70 % is ever a suggestion. */
function serves(goal: Goal, now: Estimate, then: Estimate): boolean {
  if (goal === 'fit') return then.fit_probability >= 0.7;
  if (goal === 'safe') return safe(then);
  return then.fit_probability >= 0.95 && then.step.seconds < 0.99 * now.step.seconds;
}

/** Some fewer changes of the same reach as much. */
const needless = (one: Suggestion, all: Suggestion[]) =>
  all.some(
    (other) =>
      other.changes.length < one.changes.length &&
      other.estimate.step.seconds < 1.01 * one.estimate.step.seconds &&
      other.changes.every((change) => one.changes.some(({ path, value }) => path === change.path && value === change.value)),
  );

/** Less what the core takes anyway once the rest is set. */
function least(one: Suggestion, ask: Ask): Suggestion {
  for (const { path } of one.changes.slice(1)) {
    const scenario = write(one.scenario, path, undefined);
    const answer = ask({ command: 'estimate', scenario, explain: false }) as Estimate | Refusal;
    const same = answer.ok && JSON.stringify(answer.scenario) === JSON.stringify(one.estimate.scenario);
    if (same) return least({ ...one, scenario, changes: one.changes.filter((change) => change.path !== path) }, ask);
  }
  return one;
}

export function adviceOf(scenario: Scenario, now: Estimate, goal: Goal, ask: Ask): Suggestion[] {
  const faster = goal === 'faster';
  const bySeconds = (a: Candidate, b: Candidate) => a.figures.step_seconds - b.figures.step_seconds;
  const byBytes = (a: Candidate, b: Candidate) => a.figures.needed_bytes - b.figures.needed_bytes;
  const bySize = (a: Candidate, b: Candidate) => Number(isDear(a)) - Number(isDear(b)) || a.changes.length - b.changes.length || bySeconds(a, b);
  const gains = ({ figures }: Candidate) => (faster ? figures.step_seconds < now.step.seconds : figures.needed_bytes < now.memory.needed_bytes);
  const more = (from: Pick<Candidate, 'changes' | 'scenario'>) =>
    oneMore(from, ask).filter((one) => one.changes.length > from.changes.length && gains(one) && !(faster && isDear(one)));

  const first = more({ scenario, changes: [] });
  // Where the verdict is sure: the upper end of the range, as wide as now, is on the card.
  const { capacity_bytes, needed_bytes, needed_high_bytes } = now.memory;
  const most = goal === 'fit' ? capacity_bytes : (capacity_bytes * needed_bytes) / needed_high_bytes;
  const fits = ({ figures }: Candidate) => figures.needed_bytes <= most;
  const promising = first.filter(fits);
  if (faster || promising.length < shown) {
    const near = [...first].sort(faster ? bySeconds : byBytes).slice(0, beam);
    promising.push(...near.flatMap(more).filter(fits));
  }
  const found = promising
    .sort(faster ? bySeconds : bySize)
    .slice(0, estimated)
    .flatMap(({ changes, scenario: of }): Suggestion[] => {
      const estimate = ask({ command: 'estimate', scenario: of, explain: true }) as Estimate | Refusal;
      return estimate.ok && serves(goal, now, estimate) ? [{ changes, scenario: of, estimate }] : [];
    });
  const dearness = (one: Suggestion) => (goal === 'safe' ? Number(isDear(one)) : 0);
  if (goal !== 'fit') found.sort((a, b) => dearness(a) - dearness(b) || a.estimate.step.seconds - b.estimate.step.seconds);
  const fieldsOf = ({ changes }: Suggestion) => changes.map(({ path }) => fieldOf(path)).sort().join();
  const list: Suggestion[] = [];
  for (const one of found) {
    if (list.length === shown) break;
    if (!needless(one, found) && !list.some((other) => fieldsOf(other) === fieldsOf(one))) list.push(one);
  }
  return list.map((one) => least(one, ask));
}
