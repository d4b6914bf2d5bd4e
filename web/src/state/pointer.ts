// Reads and changes a scenario by JSON pointer ("/training/precision"); values are never changed in place.
import type { Group, Scenario } from '../core/types';

const keysOf = (path: string) => path.slice(1).split('/');
export const isGroup = (value: unknown): value is Group => typeof value === 'object' && value !== null && !Array.isArray(value);

export function read(scenario: Scenario, path: string): unknown {
  return keysOf(path).reduce<unknown>((part, key) => (isGroup(part) ? part[key] : undefined), scenario);
}

/** Without a value the field goes back to the core's default. */
export function write(scenario: Scenario, path: string, value: unknown): Scenario {
  return put(scenario as Group, keysOf(path), value) as Scenario;
}

function put(group: Group, [key, ...deeper]: string[], value: unknown): Group {
  const changed = { ...group };
  if (deeper.length > 0) changed[key!] = put(isGroup(group[key!]) ? (group[key!] as Group) : {}, deeper, value);
  else if (value === undefined) delete changed[key!];
  else changed[key!] = value;
  return changed;
}

/** The field that a deeper path belongs to: /training/recompute/layers is about /training/recompute. */
export const fieldOf = (path: string) => (path.startsWith('/model') ? '/model' : path.split('/').slice(0, 3).join('/'));
