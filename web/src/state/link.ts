// The scenario as a link fragment: #v1;m=llama-3.1-70b;c=dgx-h100*64;p=tp8,pp4,z1;t=s8192,mb1,gb128;tab=step
// Only what was set is in it. What is no plain value (an inline model, stage layers) travels deflated in x=.
import type { Scenario } from '../core/types';
import { pack, unpack } from './pack';
import { read, write } from './pointer';

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
const places = new Set([...cluster, ...parallelism, ...training].map(([, path]) => path));
places.add('/model').add('/cluster/system').add('/cluster/gpu').add('/cluster/gpus');

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

function spell(name: string, value: unknown): string {
  if (typeof value === 'boolean') return `${name}${value ? ':on' : ':off'}`;
  if (typeof value === 'number') return `${name}${short(value)}`;
  return `${name}:${encodeURIComponent(String(value))}`;
}
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
    if (typeof scenario.model === 'string') parts.push(`m=${encodeURIComponent(scenario.model)}`);
    for (const [letter, tokens] of sections) {
      const spelled = tokens
        .map(([name, path]) => [name, read(scenario, path)] as const)
        .filter(([, value]) => isPlain(value))
        .map(([name, value]) => spell(name, value));
      if (letter === 'c') spelled.unshift(place(scenario));
      if (spelled.some(Boolean)) parts.push(`${letter}=${spelled.filter(Boolean).join(',')}`);
    }
    const rest = notPlain(scenario);
    if (rest.length > 0) parts.push(`x=${await pack(rest)}`);
  }
  if (view.pinned) parts.push(`a=${await pack(view.pinned)}`);
  if (view.tab) parts.push(`tab=${view.tab}`);
  if (view.open) parts.push(`open=${encodeURIComponent(view.open)}`);
  return parts.length > 1 ? `#${parts.join(';')}` : '';
}

function place(scenario: Scenario): string {
  const system = read(scenario, '/cluster/system');
  const gpu = read(scenario, '/cluster/gpu');
  const gpus = read(scenario, '/cluster/gpus');
  const name = system ? encodeURIComponent(String(system)) : gpu ? `gpu:${encodeURIComponent(String(gpu))}` : '';
  return isPlain(gpus) ? `${name}*${encodeURIComponent(String(gpus))}` : name;
}

/** Pairs of path and value that have no short form. */
function notPlain(scenario: Scenario): [string, unknown][] {
  const paths = Object.entries(scenario).flatMap(([section, value]) =>
    section === 'model' || typeof value !== 'object' ? [`/${section}`] : Object.keys(value).map((key) => `/${section}/${key}`),
  );
  return paths
    .map((path): [string, unknown] => [path, read(scenario, path)])
    .filter(([path, value]) => value !== undefined && !(isPlain(value) && places.has(path)));
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
  if (Array.isArray(pairs) && pairs.every((p) => Array.isArray(p) && /^\/(model|cluster|parallelism|training|run)/.test(String(p[0]))))
    return pairs as [string, unknown][];
  linked.unknown.push('x');
  return [];
}

function takeTokens(scenario: Scenario, texts: string[], [letter, tokens]: [string, Token[]], linked: Linked): Scenario {
  if (letter === 'c') scenario = takePlace(scenario, texts.shift() ?? '');
  for (const text of texts) {
    const name = /^[a-z]+/.exec(text)?.[0] ?? '';
    const path = tokens.find(([known]) => known === name)?.[1];
    const value = understand(text.slice(name.length));
    if (path && value !== undefined) scenario = write(scenario, path, value);
    else linked.unknown.push(text);
  }
  return scenario;
}

function takePlace(scenario: Scenario, text: string): Scenario {
  const [name, count] = text.split('*').map((part) => unescaped(part) ?? part);
  if (name?.startsWith('gpu:')) scenario = write(scenario, '/cluster/gpu', name.slice(4));
  else if (name) scenario = write(scenario, '/cluster/system', name);
  if (count === undefined) return scenario;
  const gpus = Number(count);
  return write(scenario, '/cluster/gpus', Number.isFinite(gpus) ? gpus : count);
}
