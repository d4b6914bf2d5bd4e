// Texts of this tab beside those of the page.
import { learn as english } from '../../text/en-learn';
import { language, withTexts } from '../../text/language.svelte';
import { sayer } from '../../text/said';
import { learn as chinese, learnSentences } from '../../text/zh-learn';

export const t = withTexts(english, chinese);

const inWords = sayer(learnSentences);

/** What the core says, and its language where that is not the page's. */
export function said(message: string): { text: string; lang: 'en' | undefined } {
  const text = inWords(message);
  return { text, lang: language.code === 'zh' && !/\p{Script=Han}/u.test(text) ? 'en' : undefined };
}
