// The one action that a message of the core names: "Set 8." or "Set data_parallel_size 2." as a button.
import type { Issue } from '../core/types';
import { fieldOf } from '../state/pointer';
import { result } from '../state/result.svelte';

export interface Fix {
  path: string;
  value: unknown;
}

export function fixOf(issue: Issue): Fix | undefined {
  const found = /\bSet (?:([a-z_]+) )?([\d,]*\d|[a-z\d][\w-]*)(?=[.,]| or\b)/.exec(issue.message);
  if (!found) return undefined;
  const [, key, text] = found;
  const path = key && key !== 'it' ? pathOf(key) : fieldOf(issue.path);
  const field = path ? result.field(path) : undefined;
  if (!path || !field || text === undefined) return undefined;
  const value = field.type === 'boolean' ? { true: true, false: false }[text] : /\d$/.test(text) && !field.options?.length ? Number(text.replaceAll(',', '')) : text;
  const legal = field.options?.length ? field.options.map(String).includes(String(value)) : value !== undefined;
  return legal ? { path, value } : undefined;
}

const pathOf = (key: string) => result.describe.fields.find(({ path }) => path.endsWith(`/${key}`))?.path;

/** The message less the sentence that the button replaces. */
export const withoutFix = (message: string): string => message.replace(/ Set (?:[a-z_]+ )?[\w,]+\.$/, '');
