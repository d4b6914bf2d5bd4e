// What was given, what the core makes of it, and what it would change. Every change asks the core again.
import { everything } from '../../core/everything';
import type { Calibration, ImportedFile, Profile, Refusal } from '../../core/measured-types';
import type { Estimate, Issue, Scenario } from '../../core/types';
import type { NamedBlob, Request } from '../../core/with-files';
import { Latest, reasonOf } from '../../state/latest.svelte';
import { profile, type Kept } from '../../state/profile.svelte';
import { profiles } from '../../state/profiles.svelte';
import { result } from '../../state/result.svelte';
import { judge, type Judged as OfGroup } from './judged';
import { clusterAt, cpu, gpuAt, usualPlace, type Where } from './place';
import { profileIn } from './profile-file';

export interface Item {
  key: number;
  name: string;
  blob: Blob;
  state: 'reading' | 'read' | 'failed';
  reason?: string;
  file?: ImportedFile;
  /** Catalog ids of the GPUs that it names. */
  gpus: string[];
}

export type MeasuredFigures = Partial<Record<'step_seconds' | 'allocated_bytes' | 'reserved_bytes' | 'device_bytes', number>>;
export interface OwnRun {
  key: number;
  id: string;
  scenario: Scenario;
  measured: MeasuredFigures;
}

/** What the files leave open, answered by hand. */
export interface Answers {
  ranks?: number;
  ranks_per_node?: number;
  operation?: string;
}

interface Judged {
  calibration: Calibration | null;
  issues: Issue[];
  /** Of which the calibration is. */
  gpu: string | null;
  /** The bandwidths beside what is normal. */
  normal: OfGroup[];
}

const quiet = 150;
const most_judged = 40;

class Measured {
  items = $state.raw<Item[]>([]);
  runs = $state.raw<OwnRun[]>([]);
  answers = $state.raw<Answers>({});
  /** Chosen by hand. */
  where = $state<Where>('');
  logIsOurs = $state(true);
  fitSlow = $state(false);
  refine = $state(false);
  judged = new Latest<Judged>();
  /** A file that looked like a profile and is none. */
  refused = $state.raw<{ name: string; reason: string } | null>(null);
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  calibration = $derived(this.judged.value?.calibration ?? null);
  normal = $derived(this.judged.value?.normal ?? []);
  gpu = $derived(this.judged.value?.gpu ?? null);
  issues = $derived(this.judged.value?.issues ?? []);

  gpus = $derived([...new Set(this.items.flatMap(({ gpus }) => gpus))]);
  place = $derived(this.where || usualPlace(this.gpus, result.answered));
  imported = $derived(this.items.flatMap(({ file }) => file?.runs ?? []));
  questions = $derived([...new Set(this.imported.flatMap(({ questions }) => questions))]);
  hasSteps = $derived(this.imported.some(({ tool, kinds }) => kinds.step && tool !== 'meshgauge-bench'));
  empty = $derived(this.items.length === 0 && this.runs.length === 0);
  /** Something that can be kept. */
  learned = $derived(this.calibration !== null && Object.keys(this.calibration.profile).some((key) => !['schema_version', 'name', 'fitted_from'].includes(key)));

  async add(files: Iterable<File>): Promise<void> {
    this.refused = null;
    for (const file of files) {
      const found = await profileIn(file);
      if (found) await this.#takeProfile(file.name, found);
      else void this.#read({ key: ++this.#next, name: file.name, blob: file, state: 'reading', gpus: [] });
    }
  }

  /** A profile of one's own is checked by the core and kept with the others. */
  async #takeProfile(name: string, found: Profile): Promise<void> {
    const { fitted_from: origin, ...numbers } = found;
    const answer = (await everything.ask({ command: 'estimate', scenario: result.answered, profile: numbers, explain: false })) as Estimate | Refusal;
    if (!answer.ok) {
      this.refused = { name, reason: answer.issues.map(({ message: words }) => words).join(' ') };
      return;
    }
    const gpu = origin ? (result.gpuOf({ cluster: origin.cluster }) ?? origin.cluster.gpu ?? null) : null;
    const measurements = origin?.files.reduce((sum, file) => sum + file.measurements, 0) ?? 0;
    await profiles.put({ id: newId(), name: found.name || name, gpu, measurements, at: Date.now(), profile: found });
  }

  async #read(item: Item): Promise<void> {
    this.items = [...this.items, item];
    try {
      const answer = (await everything.askWithFiles({ command: 'import' }, [{ name: item.name, blob: item.blob }])) as { ok: true; files: ImportedFile[] } | Refusal;
      if (!answer.ok) throw new Error(answer.issues.map(({ message: words }) => words).join(' '));
      const file = answer.files[0]!;
      this.#replace({ ...item, state: 'read', file, gpus: await this.#gpusOf(file) });
    } catch (error) {
      this.#replace({ ...item, state: 'failed', reason: reasonOf(error) });
    }
    this.again();
  }

  /** Logs write "NVIDIA H100 80GB HBM3"; the core knows which that is. */
  async #gpusOf(file: ImportedFile): Promise<string[]> {
    const named = new Set(file.runs.map(({ place }) => (place.cpu ? cpu : place.gpu)).filter((name) => name !== undefined));
    return Promise.all([...named].map(async (name) => (name === cpu ? cpu : ((await result.entry('gpus', name))?.id ?? name))));
  }

  #replace(item: Item): void {
    this.items = this.items.map((other) => (other.key === item.key ? item : other));
  }

  addRun(id: string, measured: MeasuredFigures): void {
    this.runs = [...this.runs, { key: ++this.#next, id, scenario: result.answered, measured }];
    this.again();
  }

  remove(key: number): void {
    this.items = this.items.filter((item) => item.key !== key);
    this.runs = this.runs.filter((run) => run.key !== key);
    this.again();
  }

  answer(answers: Answers): void {
    this.answers = { ...this.answers, ...answers };
    this.again();
  }

  again(): void {
    clearTimeout(this.#timer);
    if (this.empty) this.judged.clear();
    else this.#timer = setTimeout(() => void this.#calibrate(), quiet);
  }

  async #calibrate(): Promise<void> {
    const files = this.items.filter(({ state }) => state === 'read').map(({ name, blob }) => ({ name, blob }));
    if (files.length === 0 && this.runs.length === 0) return;
    const [place, present] = [this.place, result.answered];
    await this.judged.run(async (signal) => {
      const answer = (await everything.askWithFiles(this.#request(place, present), files, signal)) as Calibration | Refusal;
      return {
        calibration: answer.ok ? answer : null,
        issues: answer.ok ? [] : answer.issues,
        gpu: gpuAt(place, present),
        normal: await this.#judge(place, present, files, signal),
      };
    });
  }

  /** Logs of many runs would be judged run by run. */
  async #judge(place: Where, present: Scenario, files: NamedBlob[], signal: AbortSignal): Promise<OfGroup[]> {
    const runs = this.imported.filter(({ kinds }) => kinds.collective).length;
    if (runs === 0 || runs > most_judged) return [];
    return judge(files, clusterAt(place, present), this.answers, signal);
  }

  #request(place: Where, present: Scenario): Request {
    const numbers = profile.for(gpuAt(place, present) ?? undefined);
    return {
      command: 'calibrate',
      cluster: clusterAt(place, present),
      ...this.answers,
      ...(this.fitSlow ? { fit_slow: true } : {}),
      ...(this.refine ? numbers : {}),
      ...(this.hasSteps && this.logIsOurs ? { scenario: present } : {}),
      ...(this.runs.length > 0 ? { runs: this.runs.map(({ key: _, ...run }) => run) } : {}),
    };
  }

  async keep(name: string): Promise<Kept> {
    const { profile: found, files, runs } = this.calibration!;
    const measurements = files.reduce((sum, file) => sum + file.measurements, 0) + runs.length;
    const kept: Kept = { id: newId(), name, gpu: this.gpu, measurements, at: Date.now(), profile: { ...found, name } };
    await profiles.put(kept);
    return kept;
  }
}

/** Unique within one browser. */
const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

export const measured = new Measured();
