// What the core says to one tab alone, in the language of the page, by a table that comes with the tab.
import { inLanguage } from './core-messages';
import { language, spaced } from './language.svelte';

const N = '(\\d[\\d,]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)';

/** `sentences`: patterns, where # stands for a number, with their Chinese. */
export function sayer(sentences: [string, string][]): (message: string) => string {
  const table = sentences.map(([english, chinese]) => [new RegExp(english.replaceAll('#', N), 'g'), chinese] as const);
  return (message) => {
    if (language.code !== 'zh') return message;
    const chinese = table.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
    return chinese === message ? inLanguage(message) : spaced(chinese).replaceAll('; ', '；');
  };
}
