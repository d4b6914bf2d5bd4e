// What the core says in English, in the words of the page; English stays where there is no translation.
import type { Line } from '../core/types';
import { abbreviations } from '../inputs/labels';
import { language, spaced, word } from './language.svelte';

export const lineName = (line: Pick<Line, 'id' | 'name'>): string => language.core?.lines[line.id] ?? line.name;

const fieldKey = /(^\w+(?= (?:is|为) )|(?<=\bSet )\w+(?= )|\b[a-z]+(?:_[a-z]+)+\b)/g;
const engine = /\b(?:ddp|fsdp[12]|deepspeed|aleph_alpha|megatron_deepspeed|megatron|torchtitan)\b/g;

const fieldName = (key: string) => abbreviations[`/parallelism/${key}`] ?? word('field', key) ?? key;

/** An issue or warning (but of an unknown key, where keys are what it is about): fields and engines by the names the page gives them, the sentence in its language. */
export function inLanguage(message: string): string {
  const translated = language.core ? language.core.message(message) : message.replace(/, (?:a string|a number|a boolean|null)(?=\. Expected)/g, '');
  const named = (message.startsWith('There is no field') ? translated : translated.replace(fieldKey, fieldName))
    .replace(engine, (id) => word('option', id) ?? id)
    .replace(/(?<=[\w)]) x (?=\w)/g, ' × ');
  return language.core ? closed(spaced(named)) : named;
}

/** No space between Han, where a name of the core was a Latin word. */
const closed = (text: string) => text.replace(/(\p{Script=Han}) +(?=\p{Script=Han})/gu, '$1');
