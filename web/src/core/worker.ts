// The core in its own thread. One request at a time; the page decides which matter.
import { expose, transfer } from 'comlink';
import { load, type Core } from 'meshgauge';
import { recognise } from '../header/recognise';
import { read, write } from '../state/pointer';
import { adviceOf, type Goal } from './advice';
import { defaultsOf } from './defaults';
import { mendOf } from './mend';
import { variantsOf, type Priced } from './variants';
import { buffersOf, columnsOf, type StageEvents, type Timeline } from './timeline';
import type { Estimate, Issue, Refusal, Scenario, Step } from './types';
import { askWithFiles, type NamedBlob, type Request } from './with-files';

let core: Core | undefined;

const ask = (request: object): unknown => JSON.parse(core!.apiText(JSON.stringify(request)));

const service = {
  async start(all: boolean): Promise<void> {
    core = await load({ all });
  },
  /** For another thread. */
  module: () => core!.module,
  ask,
  /** The whole answer, and how long it took. */
  estimate(scenario: Scenario, prices: object): { answer: Estimate | Refusal; took_ms: number } {
    const asked = performance.now();
    const answer = ask({ command: 'estimate', scenario, explain: true, ...prices }) as Estimate | Refusal;
    return { answer, took_ms: performance.now() - asked };
  },
  /** What each stage does when, or why that is not said. */
  timeline(scenario: Scenario, prices: object): Timeline | Issue {
    const answer = ask({ command: 'estimate', scenario, explain: false, timeline: true, ...prices }) as Estimate | Refusal;
    if (!answer.ok) return answer.issues[0]!;
    const columns = columnsOf((answer.step as Step & { timeline: StageEvents[] }).timeline);
    return transfer(columns, buffersOf(columns) as ArrayBuffer[]);
  },
  askWithFiles: (request: Request, files: NamedBlob[]) => askWithFiles(core!, request, files),
  defaults: (scenario: Scenario) => defaultsOf(scenario, ask),
  advice: (scenario: Scenario, now: Estimate, goal: Goal, prices: object) => adviceOf(scenario, now, goal, (request) => ask({ ...request, ...prices })),
  variants: (asked: Priced[]) => variantsOf(asked, ask),
  mend: (scenario: Scenario, edited: string) => mendOf(scenario, edited, ask),
  /** Here, so that ten megabytes of pasted text do not hold up the page. */
  recognise,
  /** The nearest value in `direction` that the core accepts for this field, or undefined within reach. */
  nextLegal(scenario: Scenario, path: string, from: number, direction: 1 | -1): number | undefined {
    const reach = 512;
    const refusals = (candidate: Scenario) => {
      const answer = ask({ command: 'estimate', scenario: candidate, explain: false }) as Estimate | Refusal;
      return answer.ok ? 0 : answer.issues.length;
    };
    for (let value = from + direction; value > 0 && Math.abs(value - from) <= reach; value += direction) {
      if (read(scenario, path) !== value && refusals(write(scenario, path, value)) === 0) return value;
    }
    return undefined;
  },
};
export type Service = typeof service;

expose(service);
