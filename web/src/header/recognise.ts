// What a pasted text is: a model's config.json, a scenario, a link of ours, or nothing known.
import type { Group, Scenario } from '../core/types';
import { decode } from '../state/link';
import { write } from '../state/pointer';

export interface Pasted {
  kind: 'config' | 'scenario' | 'link' | 'unknown';
  what: string;
  scenario?: Scenario;
  unknown?: string[];
}

const isObject = (value: unknown): value is Group => typeof value === 'object' && value !== null && !Array.isArray(value);
const configKeys = ['hidden_size', 'n_embd', 'd_model', 'num_hidden_layers', 'n_layer', 'model_type', 'architectures'];

export async function recognise(text: string, now: Scenario): Promise<Pasted> {
  const at = text.indexOf('#v1');
  const linked = at >= 0 ? await decode(text.slice(at).trim()) : null;
  if (linked?.scenario) return { kind: 'link', what: '', scenario: linked.scenario, unknown: linked.unknown };
  const value = parsed(text);
  if (isObject(value)) {
    const sections = ['model', 'cluster', 'parallelism', 'training'].filter((section) => section in value);
    if (sections.length > 0) {
      const scenario = sections.reduce<Scenario>((all, section) => write(all, `/${section}`, value[section]), now);
      return { kind: 'scenario', what: sections.join(', '), scenario };
    }
    if (configKeys.some((key) => key in value)) return { kind: 'config', what: describeConfig(value), scenario: write(now, '/model', value) };
  }
  return { kind: 'unknown', what: text.trim().split('\n')[0]!.slice(0, 60) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const describeConfig = (config: Group) =>
  [
    Array.isArray(config.architectures) ? config.architectures.join(', ') : config.model_type,
    ...['num_hidden_layers', 'n_layer', 'hidden_size', 'n_embd'].filter((key) => key in config).map((key) => `${key} ${String(config[key])}`),
  ]
    .filter(Boolean)
    .join(', ');
