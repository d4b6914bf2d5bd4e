// What the core says in English, in the words of the page; English stays where there is no translation.
import type { Line } from '../core/types';
import { language, spaced, word } from './language.svelte';

export const lineName = (line: Line): string => language.core?.lines[line.id] ?? line.name;

/** An issue or warning: fields by the names the page gives them, the sentence in its language. */
export function inLanguage(message: string): string {
  const translated = language.core ? language.core.message(message) : message;
  const named = translated.replace(/(^\w+(?= (?:is|为) )|(?<=\bSet )\w+(?= )|\b[a-z]+(?:_[a-z]+)+\b)/g, (key) => word('field', key) ?? key);
  return language.core ? spaced(named) : named;
}
