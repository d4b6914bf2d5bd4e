// No key of the language files is missing, unused, or filled differently in the two languages.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { en as page } from '$page/text/en';
import { groups } from '$page/text/en-groups';
import { learn } from '$page/text/en-learn';
import { measured } from '$page/text/en-measured';
import { launch } from '$page/text/en-launch';
import { plan } from '$page/text/en-plan';
import { search } from '$page/text/en-search';
import { zh as chinesePage } from '$page/text/zh';
import { groups as chineseGroups } from '$page/text/zh-groups';
import { learn as chineseLearn } from '$page/text/zh-learn';
import { measured as chineseMeasured } from '$page/text/zh-measured';
import { launch as chineseLaunch } from '$page/text/zh-launch';
import { plan as chinesePlan } from '$page/text/zh-plan';
import { search as chineseSearch } from '$page/text/zh-search';

/** Those of tabs that are loaded later stand beside the page's. */
const en: Record<string, string> = { ...page, ...measured, ...plan, ...launch, ...groups, ...search, ...learn };
const zh: Record<string, string> = { ...chinesePage, ...chineseMeasured, ...chinesePlan, ...chineseLaunch, ...chineseGroups, ...chineseSearch, ...chineseLearn };

const source = fileURLToPath(new URL('../../../web/src', import.meta.url));
const code = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(svelte|ts)$/.test(entry.name) && !/^((en|zh)(-\w+)?|core-zh)\.ts$/.test(entry.name))
  .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'))
  .join('\n');

const literal = new Set([...code.matchAll(/'([a-z]+\.[\w.-]+)'/g)].map(([, key]) => key!));
/** t(`phase.${...}`), named('phase', ...), word(`option.${name}`, ...) */
const prefixes = [
  ...[...code.matchAll(/`([a-z]+\.(?:[\w.-]*))\$\{/g)].map(([, prefix]) => prefix!),
  ...[...code.matchAll(/(?:named|word)\('([a-z]+)'/g)].map(([, kind]) => `${kind}.`),
];
const suffixes = [...code.matchAll(/`\w+\.\$\{\w+\}(_\w+)`/g)].map(([, suffix]) => suffix!);

const keys = Object.keys(en);
const placeholders = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();

test('both languages have the same keys', () => {
  expect(Object.keys(zh).sort()).toEqual([...keys].sort());
});

test.each(keys)('%s is used', (key) => {
  const used = literal.has(key) || prefixes.some((prefix) => key.startsWith(prefix)) || suffixes.some((suffix) => key.endsWith(suffix));
  expect(used).toBe(true);
});

test.each(keys)('%s takes the same values in both languages', (key) => {
  expect(new Set(placeholders(zh[key]!))).toEqual(new Set(placeholders(en[key]!)));
});

test('every message that is asked for is there', () => {
  const asked = [...code.matchAll(/\bt\('([^']+)'/g)].map(([, key]) => key!);
  expect(asked.filter((key) => !(key in en))).toEqual([]);
});
