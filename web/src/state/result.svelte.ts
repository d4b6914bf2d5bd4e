// The core's answers: the last valid estimate, what is wrong with the present input, and the catalog.
import { untrack } from 'svelte';
import { afterFrame, ahead } from '../core/ahead';
import { Client, type Answer } from '../core/client';
import type { Mend } from '../core/mend';
import type { Boot, CatalogKind, Describe, Entry, Estimate, Field, Issue, Scenario } from '../core/types';
import { recognise, type Pasted } from '../header/recognise';
import { defaultScenario, sameScenario } from './default-scenario';
import { help } from './help.svelte';
import { fieldOf, read } from './pointer';
import { profile } from './profile.svelte';
import { scenario } from './scenario.svelte';

type Catalog = Partial<Record<CatalogKind, Entry[]>>;

class ResultState {
  estimate = $state.raw<Estimate>() as Estimate;
  describe = $state.raw<Describe>() as Describe;
  /** The scenario that `estimate` answers. */
  answered = $state.raw<Scenario>({});
  issues = $state.raw<Issue[]>([]);
  /** Changes elsewhere that would make the present input valid. */
  mend = $state.raw<Mend | null>(null);
  /** Why the core is not there. */
  failure = $state<string | null>(null);
  ready = $state(false);
  catalog = $state.raw<Catalog>({});
  /** What the core would take for each value that was set. */
  defaults = $state.raw<Record<string, unknown>>({});
  /** The figures of what was typed last, until the whole estimate has taken their place. */
  #ahead = $state.raw<{ asked: Scenario; estimate: Estimate } | null>(null);
  #drawn = Promise.resolve();
  #arrived: { asked: Scenario; answer: Answer }[] = [];
  #booted: Estimate | undefined;
  #client: Client | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  fields = $derived(new Map(this.describe.fields.map((field) => [field.path, field])));
  /** What the eye reads first: a frame ahead of `estimate`, without formulas. */
  figures = $derived(this.#ahead?.estimate ?? this.estimate);
  invalid = $derived(this.issues.length > 0);
  /** The figures shown are nobody's but the example's. */
  isExample = $derived(sameScenario(this.answered, defaultScenario));

  boot(boot: Boot): void {
    this.estimate = this.#booted = boot.estimate;
    this.describe = boot.describe;
    this.answered = boot.scenario;
    this.defaults = boot.defaults;
    this.catalog = {
      models: boot.model ? [boot.model] : [],
      systems: boot.system ? [boot.system] : [],
    };
  }

  async start(): Promise<void> {
    this.failure = null;
    this.#client?.stop();
    const client = new Client((asked, answer) => this.#arrive(asked, answer), (reason) => (this.failure = reason));
    this.#client = client;
    try {
      client.estimate(scenario.now, this.pricesOf(scenario.now));
      await client.start();
      // The rest of it came with the page.
      const { fields } = await client.describe();
      help.texts = Object.fromEntries(fields.flatMap(({ path, help: text }) => (text ? [[path, text]] : [])));
      const kinds = ['models', 'systems', 'gpus'] as const;
      const lists = await Promise.all(kinds.map((kind) => client.catalog(kind)));
      this.catalog = Object.fromEntries(kinds.map((kind, i) => [kind, lists[i]]));
      this.ready = true;
      ahead.startAtFields(() => client.module());
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    }
  }

  /** The catalog's id of the GPU that a scenario is on, as far as it is known. */
  gpuOf({ cluster }: Scenario): string | undefined {
    const system = this.catalog.systems?.find(({ id }) => id === cluster?.system);
    if (system) return String(system.gpu);
    const named = String(cluster?.gpu).toLowerCase();
    return this.catalog.gpus?.find(({ id, aliases }) => id === named || (aliases as string[] | undefined)?.includes(named))?.id;
  }

  /** The applied profile, where it is of the scenario's GPU: every request that estimates takes it. */
  pricesOf(asked: Scenario): { profile?: object } {
    return profile.applied ? profile.for(this.gpuOf(asked)) : {};
  }

  ask(asked: Scenario): void {
    const prices = this.pricesOf(asked);
    this.#client?.estimate(asked, prices);
    if ('profile' in prices || untrack(() => this.invalid)) return;
    const estimate = ahead.estimate(asked);
    if (!estimate) return;
    this.#ahead = { asked, estimate };
    this.#drawn = afterFrame();
  }

  /** Taken at once, so that the next frame has only to be painted, unless that frame is to show the figures ahead. */
  #arrive(asked: Scenario, answer: Answer): void {
    this.#arrived.push({ asked, answer });
    if (this.#ahead) void this.#drawn.then(() => this.#take());
    else this.#take();
  }

  #take(): void {
    for (const { asked, answer } of this.#arrived.splice(0)) this.#commit(asked, answer);
  }

  #commit(asked: Scenario, answer: Answer): void {
    // Kept only as long as it is of what was typed last, and that is not answered.
    if (!answer.ok || asked === scenario.now || this.#ahead?.asked !== scenario.now) this.#ahead = null;
    if (!answer.ok || this.invalid) this.issues = answer.ok ? [] : answer.issues;
    if (answer.ok) {
      // The page came with this answer, by the same core: nothing is drawn again for it.
      const there = this.estimate === this.#booted && !profile.applied && sameScenario(asked, this.answered);
      if (!there) this.estimate = answer;
      this.answered = asked;
    }
    this.mend = null;
    document.documentElement.removeAttribute('data-waiting');
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void (answer.ok ? this.#askDefaults(asked) : this.#askMend(asked)), answer.ok ? 300 : 100);
  }

  async #askMend(asked: Scenario): Promise<void> {
    const mend = await this.#client?.mend(asked, scenario.edited).catch(() => null);
    if (mend && asked === scenario.now) this.mend = mend;
  }

  /** Once the keys rest: each set field left out in turn. */
  async #askDefaults(asked: Scenario): Promise<void> {
    const defaults = await this.#client?.defaults(asked).catch(() => null);
    if (defaults && asked === scenario.now) this.defaults = defaults;
  }

  field(path: string): Field | undefined {
    return this.fields.get(path);
  }

  /** What the core computes with, set or not. */
  resolved(path: string): unknown {
    return read(this.estimate.scenario, path);
  }

  issuesOf(path: string): Issue[] {
    return this.issues.filter((issue) => fieldOf(issue.path) === path);
  }

  wrong(path: string): boolean {
    return this.issuesOf(path).length > 0;
  }

  warnings(path: string): Issue[] {
    return this.estimate.warnings.filter((warning) => fieldOf(warning.path) === path);
  }

  /** In the worker, if there is one. */
  recognise(text: string): Promise<Pasted> {
    const here = () => recognise(text, scenario.now);
    return this.failure === null && this.#client ? this.#client.recognise(text, scenario.now).catch(here) : here();
  }

  nextLegal(path: string, from: number, direction: 1 | -1): Promise<number | undefined> {
    return this.#client?.nextLegal(scenario.now, path, from, direction) ?? Promise.resolve(undefined);
  }

  entry(kind: 'models' | 'gpus' | 'systems', id: string): Promise<Entry | undefined> {
    return this.#client?.entry(kind, id) ?? Promise.resolve(undefined);
  }
}

export const result = new ResultState();
