// What a pasted text is: a model's config.json, a scenario, a link of ours, or nothing known.
import type { Group, Issue, Scenario } from '../core/types';
import { decode } from '../state/link';
import { write } from '../state/pointer';

export const sections = ['model', 'cluster', 'parallelism', 'training'] as const;

export interface Pasted {
  kind: 'config' | 'scenario' | 'link' | 'log' | 'settings' | 'memory' | 'nccl' | 'unknown';
  /** Of a config.json its shape, of a log what it measured, of an out-of-memory message the size, of unknown text its first line. */
  what: string;
  /** What a scenario sets. */
  sections: (typeof sections)[number][];
  scenario?: Scenario;
  unknown?: string[];
  /** Of a configuration of another program: what it would change, and which keys it leaves out. */
  changes?: string[];
  ignored?: string[];
  /** How many of those are not understood. */
  unread?: number;
  warnings?: Issue[];
  /** Of bandwidths: each beside what is normal. */
  judged?: { verdict: 'low' | 'normal' | 'high' | 'depends' | 'unknown'; icon: 'yes' | 'no' | 'unsure'; words: string; bands: string[] }[];
  /** Of logs and error messages. */
  files?: File[];
}

const isObject = (value: unknown): value is Group => typeof value === 'object' && value !== null && !Array.isArray(value);
const configKeys = ['hidden_size', 'n_embd', 'd_model', 'num_hidden_layers', 'n_layer', 'model_type', 'architectures'];
const link = /#v\d+;\S+/;
const longestLink = 100_000;
/** No shape takes so many letters, and every link and every key stroke carries the model along. */
const longestMember = 20_000;

export async function recognise(text: string, now: Scenario): Promise<Pasted> {
  const value = parsed(text);
  if (isObject(value)) {
    const present = sections.filter((section) => section in value);
    if (present.length > 0) {
      const scenario = present.reduce<Scenario>((all, section) => write(all, `/${section}`, value[section]), now);
      return { kind: 'scenario', what: '', sections: present, scenario };
    }
    if (configKeys.some((key) => key in value)) {
      const model = shapeOf(value);
      return { kind: 'config', what: describeConfig(model), sections: ['model'], scenario: write(now, '/model', model) };
    }
  }
  const linked = await linkedIn(text);
  return linked ?? { kind: 'unknown', what: firstLine(text), sections: [] };
}

async function linkedIn(text: string): Promise<Pasted | null> {
  if (text.length > longestLink) return null;
  const linked = await decode(link.exec(text)?.[0] ?? '');
  return linked?.scenario ? { kind: 'link', what: '', sections: [], scenario: linked.scenario, unknown: linked.unknown } : null;
}

function parsed(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const firstLine = (text: string) => text.slice(0, 10_000).trimStart().split('\n')[0]!.trimEnd().slice(0, 60);

/** Token maps and quantization tables stay behind. */
export const shapeOf = (config: Group): Group =>
  Object.fromEntries(Object.entries(config).filter(([, member]) => JSON.stringify(member).length <= longestMember));

const describeConfig = (config: Group) =>
  [
    Array.isArray(config.architectures) ? config.architectures.join(', ') : config.model_type,
    ...['num_hidden_layers', 'n_layer', 'hidden_size', 'n_embd'].filter((key) => key in config).map((key) => `${key} ${String(config[key])}`),
  ]
    .filter(Boolean)
    .join(', ');
