// The scenario as a link fragment: #v1;m=llama-3.1-70b;c=dgx-h100*64;p=tp8,pp4,z1;t=s8192,mb1,gb128;tab=step
// Only what was set is in it. What is no plain value (an inline model, stage layers) travels deflated in x=.
import type { Scenario } from '../core/types';
import { pack, unpack } from './pack';
import { isGroup, read, write } from './pointer';

export interface View {
  tab?: string;
  /** The open ledger line: stage, phase, line id. */
  open?: string;
  /** The scenario that the present one is compared with. */
  pinned?: Scenario;
}
export interface Linked {
  scenario: Scenario | null;
  view: View;
  /** Parts this version does not know; they are left out. */
  unknown: string[];
}

type Token = [name: string, path: string];
const cluster: Token[] = [
  ['pn', '/cluster/gpus_per_node'],
  ['mem', '/cluster/memory_bytes'],
  ['ibw', '/cluster/intra_node_bytes_per_second'],
  ['xbw', '/cluster/inter_node_bytes_per_second'],
  ['ilat', '/cluster/intra_node_latency_seconds'],
  ['xlat', '/cluster/inter_node_latency_seconds'],
  ['topo', '/cluster/intra_node_topology'],
  ['net', '/cluster/network'],
  ['over', '/cluster/oversubscription'],
  ['block', '/cluster/nodes_per_block'],
  ['inr', '/cluster/in_network_reduction'],
  ['usd', '/cluster/usd_per_gpu_hour'],
];
const parallelism: Token[] = [
  ['tp', '/parallelism/tensor_parallel_size'],
  ['sp', '/parallelism/sequence_parallel'],
  ['pp', '/parallelism/pipeline_parallel_size'],
  ['vpp', '/parallelism/virtual_pipeline_size'],
  ['sch', '/parallelism/pipeline_schedule'],
  ['cp', '/parallelism/context_parallel_size'],
  ['cpk', '/parallelism/context_parallel_kind'],
  ['ep', '/parallelism/expert_parallel_size'],
  ['etp', '/parallelism/expert_tensor_parallel_size'],
  ['dp', '/parallelism/data_parallel_size'],
  ['z', '/parallelism/zero_stage'],
  ['raf', '/parallelism/reshard_after_forward'],
  ['rep', '/parallelism/data_parallel_replicate_size'],
];
const training: Token[] = [
  ['e', '/training/engine'],
  ['prec', '/training/precision'],
  ['opt', '/training/optimizer'],
  ['g', '/training/gradient_dtype'],
  ['s', '/training/sequence_length'],
  ['mb', '/training/micro_batch_size'],
  ['gb', '/training/global_batch_size'],
  ['rc', '/training/recompute'],
  ['at', '/training/attention'],
  ['ls', '/training/loss'],
  ['k', '/training/kernels'],
  ['do', '/training/dropout'],
  ['ml', '/training/moe_load_factor'],
  ['tok', '/training/tokens'],
  ['v', '/training/engine_version'],
  ['ft', '/training/peft'],
  ['lr', '/training/lora_rank'],
  ['lt', '/training/lora_targets'],
];
const sections: [string, Token[]][] = [
  ['c', cluster],
  ['p', parallelism],
  ['t', training],
];
const tokenPaths = new Set([...cluster, ...parallelism, ...training].map(([, path]) => path));

/** Strings that are no other value's spelling, and hold whole characters alone. */
const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value !== 'on' && value !== 'off' && !/\p{Surrogate}/u.test(value);
/** Whether the short form says the value as it is; what has none, or another meaning there, travels in x=. */
function isShort(scenario: Scenario, path: string, value: unknown): boolean {
  if (path === '/model') return isWord(value);
  if (path === '/cluster/system') return isWord(value) && value !== '' && !value.startsWith('gpu:');
  if (path === '/cluster/gpu') return isWord(value) && read(scenario, '/cluster/system') === undefined;
  if (path === '/cluster/gpus') return typeof value === 'number';
  return tokenPaths.has(path) && (isWord(value) || typeof value === 'number' || typeof value === 'boolean');
}
/** Keys that a path can name. */
const isKey = (key: string) => key !== '' && key !== '__proto__' && !key.includes('/');

function spell(name: string, value: unknown): string {
  if (typeof value === 'boolean') return `${name}${value ? ':on' : ':off'}`;
  if (typeof value === 'number') return `${name}${short(value)}`;
  return `${name}:${escaped(String(value))}`;
}
/** With the mark of gpus; half of a character, which no link holds, goes as the sign for one that is lost. */
const escaped = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('*', '%2A');
const short = (value: number) => {
  const exponent = value.toExponential().replace('e+', 'e');
  return exponent.length < String(value).length ? exponent : String(value);
};
function understand(text: string): unknown {
  if (!text.startsWith(':')) return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (text === ':on') return true;
  if (text === ':off') return false;
  return unescaped(text.slice(1));
}
/** undefined where a % was cut off or typed by hand. */
function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export async function encode(scenario: Scenario | null, view: View = {}): Promise<string> {
  const parts = ['v1'];
  if (scenario) {
    if (isShort(scenario, '/model', scenario.model)) parts.push(`m=${escaped(String(scenario.model))}`);
    for (const [letter, tokens] of sections) {
      const spelled = tokens
        .filter(([, path]) => isShort(scenario, path, read(scenario, path)))
        .map(([name, path]) => spell(name, read(scenario, path)));
      if (letter === 'c') spelled.unshift(place(scenario));
      if (spelled.some(Boolean)) parts.push(`${letter}=${spelled.join(',')}`);
    }
    const rest = notShort(scenario);
    if (rest.length > 0) parts.push(`x=${await pack(rest)}`);
  }
  if (view.pinned) parts.push(`a=${await pack(view.pinned)}`);
  if (view.tab) parts.push(`tab=${escaped(view.tab)}`);
  if (view.open) parts.push(`open=${escaped(view.open)}`);
  return parts.length > 1 ? `#${parts.join(';')}` : '';
}

function place(scenario: Scenario): string {
  const [system, gpu, gpus] = ['/cluster/system', '/cluster/gpu', '/cluster/gpus'].map((path) => {
    const value = read(scenario, path);
    return isShort(scenario, path, value) ? escaped(String(value)) : undefined;
  });
  const name = system ?? (gpu === undefined ? '' : `gpu:${gpu}`);
  return gpus === undefined ? name : `${name}*${gpus}`;
}

/** Pairs of path and value that have no short form. */
function notShort(scenario: Scenario): [string, unknown][] {
  const paths = Object.entries(scenario).flatMap(([section, value]: [string, unknown]) =>
    section !== 'model' && isGroup(value) && Object.keys(value).every(isKey)
      ? Object.keys(value).map((key) => `/${section}/${key}`)
      : [`/${section}`],
  );
  return paths
    .map((path): [string, unknown] => [path, read(scenario, path)])
    .filter(([path, value]) => value !== undefined && !isShort(scenario, path, value));
}

/** Of a later version's link, what is known here is taken and the version is named among the unknown parts. */
export async function decode(fragment: string): Promise<Linked | null> {
  const [version = '', ...parts] = fragment.replace(/^#/, '').split(';');
  if (!/^v\d+$/.test(version)) return null;
  const linked: Linked = { scenario: null, view: {}, unknown: version === 'v1' ? [] : [version] };
  let scenario: Scenario = {};
  for (const part of parts) {
    const at = part.indexOf('=');
    const key = part.slice(0, at);
    const text = part.slice(at + 1);
    const section = sections.find(([letter]) => letter === key);
    const plain = ['tab', 'open', 'm'].includes(key) ? unescaped(text) : text;
    if (plain === undefined) linked.unknown.push(part);
    else if (key === 'tab') linked.view.tab = plain;
    else if (key === 'open') linked.view.open = plain;
    else if (key === 'm') scenario = write(scenario, '/model', plain);
    else if (key === 'a') linked.view.pinned = (await pinned(text)) ?? (linked.unknown.push('a'), undefined);
    else if (key === 'x') for (const [path, value] of await rest(text, linked)) scenario = write(scenario, path, value);
    else if (section) scenario = takeTokens(scenario, text.split(','), section, linked);
    else if (part) linked.unknown.push(part);
  }
  if (Object.keys(scenario).length > 0) linked.scenario = scenario;
  return linked;
}

async function pinned(text: string): Promise<Scenario | undefined> {
  const value = await unpack(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Scenario) : undefined;
}

async function rest(text: string, linked: Linked): Promise<[string, unknown][]> {
  const pairs = await unpack(text);
  if (Array.isArray(pairs) && pairs.every(isPair)) return pairs;
  linked.unknown.push('x');
  return [];
}

const isPair = (pair: unknown): pair is [string, unknown] =>
  Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && /^\/[^/]/.test(pair[0]) && pair[0].slice(1).split('/').every(isKey);

function takeTokens(scenario: Scenario, texts: string[], [letter, tokens]: [string, Token[]], linked: Linked): Scenario {
  if (letter === 'c') scenario = takePlace(scenario, texts.shift() ?? '', linked);
  for (const text of texts) {
    const name = /^[a-z]+/.exec(text)?.[0] ?? '';
    const path = tokens.find(([known]) => known === name)?.[1];
    const value = understand(text.slice(name.length));
    if (path && value !== undefined) scenario = write(scenario, path, value);
    else linked.unknown.push(text);
  }
  return scenario;
}

function takePlace(scenario: Scenario, text: string, linked: Linked): Scenario {
  const [name, count, ...more] = text.split('*').map((part) => unescaped(part) ?? part);
  linked.unknown.push(...more);
  if (name?.startsWith('gpu:')) scenario = write(scenario, '/cluster/gpu', name.slice(4));
  else if (name) scenario = write(scenario, '/cluster/system', name);
  if (count === undefined) return scenario;
  const gpus = Number(count);
  return write(scenario, '/cluster/gpus', Number.isFinite(gpus) ? gpus : count);
}
