// The language of the page: messages by key, numbers in the same language. Chinese is loaded when asked for.
import { numbers, type LanguageCode, type Numbers } from '../numbers/format';
import { keep } from '../state/kept';
import { whenIdle } from '../ui/idle';
import { en, type Key, type Messages } from './en';
import type { CoreNames } from './core-names';

type Values = Record<string, string | number>;

class LanguageState {
  code = $state<LanguageCode>('en');
  messages = $state.raw<Messages>(en);
  /** Chinese for the names that the core reports in English. */
  core = $state.raw<CoreNames | null>(null);

  async use(code: LanguageCode): Promise<void> {
    if (code === 'zh') {
      const [{ zh }, { coreNames }] = await Promise.all([import('./zh'), import('./core-zh')]);
      this.messages = zh;
      this.core = coreNames;
    } else {
      this.messages = en;
      this.core = null;
    }
    this.code = code;
    if (typeof document !== 'undefined') document.documentElement.lang = code === 'zh' ? 'zh-CN' : 'en';
  }

  /** Both files at hand, so that a switch asks for nothing. */
  async prefetch(): Promise<void> {
    await Promise.all([whenIdle(() => import('./zh')), whenIdle(() => import('./core-zh'))]);
  }

  choose(code: LanguageCode): void {
    keep('language', code);
    void this.use(code);
  }
}

export const language = new LanguageState();

/** {name} is replaced by a value, {n:part|parts} by the word that fits its number. */
function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    if (one !== undefined && many !== undefined) return values[name] === 1 || values[name] === '1' ? one : many;
    return String(values[name] ?? '');
  });
}

/** One space between Han and Latin letters or digits, wherever a value meets a word. */
export const spaced = (text: string) =>
  text.replace(/([\w%])(?=\p{Script=Han})/gu, '$1 ').replace(/(\p{Script=Han})(?=[\w<>])/gu, '$1 ');

const translator =
  <K extends string>(find: (key: K) => string) =>
  (key: K, values: Values = {}): string => {
    const text = fill(find(key), values);
    return language.code === 'zh' ? spaced(text) : text;
  };
export const t = translator<Key>((key) => language.messages[key]);

/** The same for a tab that is loaded later and brings texts of its own. */
export const withTexts = <K extends string>(english: Record<K, string>, chinese: Record<K, string>) =>
  translator<Key | K>((key) => {
    const own: Partial<Record<string, string>> = language.code === 'zh' ? chinese : english;
    return own[key] ?? language.messages[key as Key];
  });

/** A name that belongs to a value of the core ("part.bubble"), or the value itself where the page knows none. */
export const named = (kind: string, value: unknown): string => word(kind, value) ?? String(value);

export function word(kind: string, value: unknown): string | undefined {
  const key = `${kind}.${String(value)}`;
  return key in language.messages ? language.messages[key as Key] : undefined;
}

/** All numbers of the page in the present language. */
export const n = (): Numbers => numbers(language.code);
