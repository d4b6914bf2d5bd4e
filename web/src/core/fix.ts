// The actions that a message of the core names, as buttons: "Set 8.", "Set 3, or engine deepspeed.", "did you mean ...?".
import type { Field, Issue } from './types';
import { fieldOf } from '../state/pointer';

export interface Fix {
  path: string;
  value: unknown;
}

const sentence = /\s*\b(?:Set|Or set) ((?:[^.]|\.(?=\d))+)\.(?=\s|$)/;
const alternative = /^(?:([a-z_]+) )?([\d,]*\d|[a-z\d][\w-]*)$/;
const similar = /[;.] ?[Dd]id you mean (.+?)\?/;
const positions = /beyond the model's ([\d,]+) positions/;
const pointless = /^\w+ has no effect\b/;

const severalValues = /^([a-z_]+) ([a-z]\w*(?:, [a-z]\w*)+)$/;

const wordsOfSet = (message: string): string[] => sentence.exec(message)?.[1]!.split(/,? or /).flatMap(eachValue) ?? [];

/** "engine megatron, torchtitan" are two alternatives. */
function eachValue(words: string): string[] {
  const [, key, values] = severalValues.exec(words) ?? [];
  return values?.split(', ').map((value) => `${key} ${value}`) ?? [words];
}

/** Each alternative that names a value; "smaller degrees" names none. */
export function fixesOf(issue: Issue, fields: Field[]): Fix[] {
  const path = fields.some((field) => field.path === issue.path) ? issue.path : fieldOf(issue.path);
  const names = similar.exec(issue.message)?.[1]!.match(/"[^"]+"/g);
  if (names) return names.map((name) => ({ path, value: name.slice(1, -1) }));
  const most = positions.exec(issue.message)?.[1];
  if (most !== undefined) return [{ path, value: Number(most.replaceAll(',', '')) }];
  if (pointless.test(issue.message)) return [{ path, value: false }];
  return wordsOfSet(issue.message).flatMap((words) => readAlternative(words, path, fields) ?? []);
}

function readAlternative(words: string, own: string, fields: Field[]): Fix | undefined {
  const [, key, text] = alternative.exec(words) ?? [];
  const field = fields.find(({ path }) => (key && key !== 'it' ? path.endsWith(`/${key}`) : path === own));
  if (!field || text === undefined) return undefined;
  const value = valueOf(field, text);
  return value === undefined ? undefined : { path: field.path, value };
}

function valueOf(field: Field, text: string): unknown {
  if (field.type === 'boolean') return { true: true, false: false }[text];
  if (field.options?.length) return field.options.find((option) => String(option) === text);
  return field.type === 'string' ? text : /\d$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
}

/** The message less what the buttons say; what they cannot say stays. */
export function withoutFixes(message: string, fixes: Fix[]): string {
  if (fixes.length === 0) return message;
  const bare = message.replace(similar, (words) => (words.startsWith('.') ? '.' : ''));
  return wordsOfSet(message).length === fixes.length ? bare.replace(sentence, '') : bare;
}
