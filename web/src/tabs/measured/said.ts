// What the core says of logs and fits, in the language of the page.
import { inLanguage } from '../../text/core-messages';
import { language, spaced } from '../../text/language.svelte';
import { measuredSentences } from '../../text/zh-measured';

const N = '(\\d[\\d,]*(?:\\.\\d+)?)';
const table = measuredSentences.map(([english, chinese]) => [new RegExp(english.replaceAll('#', N), 'g'), chinese] as const);

export function said(message: string): string {
  if (language.code !== 'zh') return message;
  const chinese = table.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
  return chinese === message ? inLanguage(message) : spaced(chinese).replaceAll('; ', '；');
}
