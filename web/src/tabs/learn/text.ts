// Texts of this tab's tools beside those of the page.
import { inLanguage } from '../../text/core-messages';
import { learn as english } from '../../text/en-learn';
import { language, withTexts } from '../../text/language.svelte';
import { learn as chinese } from '../../text/zh-learn';

export const t = withTexts(english, chinese);

/** What the core says, and its language where that is not the page's. */
export function said(message: string): { text: string; lang: 'en' | undefined } {
  const text = inLanguage(message);
  return { text, lang: language.code === 'zh' && !/\p{Script=Han}/u.test(text) ? 'en' : undefined };
}
