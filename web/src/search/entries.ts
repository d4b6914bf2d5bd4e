// What the search finds: tools, tabs, fields, models, machines and actions, each with what choosing it does.
import { paste } from '../header/paste.svelte';
import { theme } from '../header/theme.svelte';
import { choosePlace, modelItems, placeItems } from '../inputs/catalog-names';
import { helpOf, labelOf, shortLabelOf } from '../inputs/labels';
import { matters } from '../inputs/matters';
import { compare } from '../state/compare.svelte';
import { result } from '../state/result.svelte';
import { scenario } from '../state/scenario.svelte';
import { tabs, view, type Tab } from '../state/view.svelte';
import { search as english } from '../text/en-search';
import { claimIn, isClaim } from '../tabs/learn/claim-words';
import { language, t as page, withTexts } from '../text/language.svelte';
import { search as chinese } from '../text/zh-search';

export const t = withTexts(english, chinese);

export type Kind = 'tool' | 'tab' | 'field' | 'model' | 'place' | 'learn' | 'action';
export interface Entry {
  id: string;
  kind: Kind;
  name: string;
  detail: string;
  /** Further words that find it. */
  words: string;
  run: () => void;
}

/** Parts of a tab may wait for the core's answer to those above them. */
const patience_ms = 10_000;

/** A heading of a tab, once it is there. */
async function toHeading(tab: Tab, part: string): Promise<void> {
  view.tab = tab;
  const until = performance.now() + patience_ms;
  while (view.tab === tab && performance.now() < until) {
    await new Promise(requestAnimationFrame);
    const heading = document.getElementById(`${part}-heading`);
    if (!heading?.checkVisibility()) continue;
    heading.scrollIntoView();
    return heading.focus({ preventScroll: true });
  }
}

const learnParts = ['tree', 'strategies', 'bandwidth', 'formulas', 'cases'] as const;
const actions: Record<string, () => void> = {
  pin: () => {
    if (!result.invalid) compare.pin(scenario.now);
    view.tab = 'compare';
  },
  undo: () => scenario.undo(),
  redo: () => scenario.redo(),
  paste: () => void paste.fromClipboard(),
  export: () => document.getElementById('export')?.scrollIntoView(),
  print: () => window.print(),
  theme: () => theme.next(),
  en: () => language.choose('en'),
  zh: () => language.choose('zh'),
};

/** What people call a field that its name and help do not say. */
const alsoCalled = (path: string) => (path === '/cluster/usd_per_gpu_hour' ? t('words.usd_per_gpu_hour') : path === '/training/tokens' ? t('words.tokens') : '');

export function entries(): Entry[] {
  const fields = result.describe.fields.filter(({ path }) => path.split('/').length === 3 && matters(path));
  return [
    ...(['claim', 'error'] as const).map((tool): Entry => ({ id: `tool-${tool}`, kind: 'tool', name: t(`tool.${tool}`), detail: '', words: t(`tool.${tool}_words`), run: () => void toHeading('learn', tool) })),
    ...tabs.map((tab): Entry => ({ id: `tab-${tab}`, kind: 'tab', name: page(`tab.${tab}`), detail: '', words: tab, run: () => (view.tab = tab, document.getElementById(`tab-${tab}`)?.focus()) })),
    ...fields.map((field): Entry => ({
      id: `field${field.path}`,
      kind: 'field',
      name: labelOf(field.path),
      detail: shortLabelOf(field.path) === labelOf(field.path) ? '' : shortLabelOf(field.path),
      words: `${field.path} ${helpOf(field) ?? ''} ${alsoCalled(field.path)}`,
      run: () => void view.seek(field.path === '/cluster/gpu' ? '/cluster/system' : field.path),
    })),
    ...modelItems().map(({ id, name, detail }): Entry => ({ id: `model-${id}`, kind: 'model', name, detail, words: id, run: () => scenario.set('/model', id) })),
    ...placeItems().map(({ id, name, detail, found }): Entry => ({ id: `place-${id}`, kind: 'place', name, detail, words: `${id} ${found ?? ''}`, run: () => choosePlace(id) })),
    ...learnParts.map((part): Entry => ({ id: `learn-${part}`, kind: 'learn', name: t(`learn.${part}`), detail: '', words: part, run: () => void toHeading('learn', part) })),
    { id: 'learn-groups', kind: 'learn', name: t('learn.groups'), detail: '', words: 'groups', run: () => void toHeading('communication', 'groups') },
    ...Object.entries(actions).map(([action, run]): Entry => ({ id: `action-${action}`, kind: 'action', name: t(`action.${action as 'pin'}`), detail: '', words: action, run })),
  ];
}

/** What is typed may be a claim itself: it is taken there. */
export function claims(query: string): Entry[] {
  const said = claimIn(query, result.catalog.gpus);
  if (!isClaim(said)) return [];
  const run = async () => {
    const { claiming } = await import('../tabs/learn/claiming.svelte');
    claiming.say(query);
    await toHeading('learn', 'claim');
  };
  return [{ id: 'claim', kind: 'tool', name: t('tool.claim'), detail: query.trim(), words: '', run: () => void run() }];
}

const apart = (text: string) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, ' ')} `;
/** At the start of a word; Chinese has no spaces between its words. */
const begins = (text: string, word: string) => text.includes(` ${word}`) || (/\p{Script=Han}/u.test(word) && text.includes(word));

/** Every word has to be there: what is called just so comes first, then names, then what else is said of it, then parts
    of words. */
export function found(all: Entry[], query: string): Entry[] {
  const words = apart(query.normalize('NFKC')).trim().split(' ').filter(Boolean);
  const rank = ({ name, detail, words: more }: Entry): number => {
    const [title, rest] = [apart(`${name} ${detail}`), apart(more)];
    if (!words.every((word) => title.includes(word) || rest.includes(word))) return -1;
    if ([name, detail].some((text) => apart(text).trim() === words.join(' '))) return 0;
    if (words.every((word) => begins(title, word))) return title.startsWith(` ${words[0] ?? ''}`) ? 1 : 2;
    return words.every((word) => begins(title, word) || begins(rest, word)) ? 3 : 4;
  };
  return all
    .map((entry) => ({ entry, at: rank(entry) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
