// Everything the core can say has a name on the page, in both languages.
import { load } from 'meshgauge';
import { fixesOf, withoutFixes } from '$page/core/fix';
import type { Describe, Entry, Estimate, Refusal, Scenario } from '$page/core/types';
import { inLanguage } from '$page/text/core-messages';
import { coreNames } from '$page/text/core-zh';
import { en } from '$page/text/en';
import { language } from '$page/text/language.svelte';
import { english } from '$page/text/symbols';
import { optionPaths, scenarios, wrongScenarios } from './support/scenarios';

const core = await load();
const ask = (request: object): unknown => JSON.parse(core.apiText(JSON.stringify(request)));
const estimate = (scenario: Scenario) => ask({ command: 'estimate', scenario, explain: true }) as Estimate | Refusal;
const describe = ask({ command: 'describe' }) as Describe & { collectives: string[]; groups: string[] };
const handbook = (ask({ command: 'catalog', kind: 'handbook' }) as { entries: (Entry & { scenario: Scenario; figures: { unit: string }[] })[] }).entries;

const answers = [...scenarios, ...handbook.map(({ scenario }) => scenario)].map(estimate);
const lines = answers.flatMap((answer) => (answer.ok ? answer.memory.stages.flatMap((stage) => [...stage.lines, ...stage.other_lines]) : []));

test('the scenarios are answered', () => {
  expect(answers.flatMap((answer) => (answer.ok ? [] : answer.issues))).toEqual([]);
});

test('every ledger line has a Chinese name', () => {
  expect([...new Set(lines.map(({ id }) => id))].filter((id) => !(id in coreNames.lines))).toEqual([]);
});

test('every letter of every formula is explained in both languages', () => {
  const letters = new Set(lines.flatMap(({ id, values }) => Object.keys(values).map((letter) => `${id}.${letter}`)));
  const unknown = (table: Record<string, string>) => [...letters].filter((letter) => !(letter in table) && !(letter.split('.')[1]! in table));
  expect(unknown(english)).toEqual([]);
  expect(unknown(coreNames.symbols)).toEqual([]);
});

test('both languages explain the same letters', () => {
  expect(Object.keys(coreNames.symbols).sort()).toEqual(Object.keys(english).sort());
});

const has = (kind: string, values: (string | number)[]) => values.filter((value) => !(`${kind}.${value}` in en));

test('every field, phase, part, category, group and collective has a name', () => {
  expect(has('field', describe.fields.map(({ path }) => path.split('/').pop()!).filter((name) => name !== 'schema_version'))).toEqual([]);
  expect(has('phase', describe.phases)).toEqual([]);
  expect(has('part', describe.parts)).toEqual([]);
  expect(has('category', describe.categories)).toEqual([]);
  expect(has('group', describe.groups)).toEqual([]);
  expect(has('collective', describe.collectives)).toEqual([]);
});

test('every option has a name, or is one that needs none', () => {
  const plain = /^(fp32|tf32|bf16|fp16|fp8|mxfp8|nvfp4|int64|\d+)$/;
  const options = describe.fields.flatMap((field) => field.options ?? []);
  expect(has('option', options).filter((option) => !plain.test(String(option)))).toEqual([]);
});

test('the page names no option that the core does not have', () => {
  const known = new Set(describe.fields.flatMap((field) => (field.options ?? []).map((option) => `option.${option}`)));
  const own = Object.keys(en).filter((key) => key.startsWith('option.') && !known.has(key));
  expect(own.filter((key) => !optionPaths.some((path) => key.startsWith(path)))).toEqual([]);
});

test('every field is explained in Chinese', () => {
  expect(describe.fields.map(({ path }) => path).filter((path) => !(path in coreNames.help))).toEqual([]);
});

test('every unit of a handbook figure has a name, or is one that needs none', () => {
  const plain = /^(|B|MB|GB|GB\/s|%|×|s|TFLOP\/s|PFLOP)$/;
  const units = handbook.flatMap(({ figures }) => figures.map(({ unit }) => unit));
  expect([...new Set(units)].filter((unit) => !plain.test(unit) && !(`amount.${unit}` in en))).toEqual([]);
});

/** Names of the catalog are the same in both languages, and what is quoted is the user's. */
const bare = (text: string) => text.replace(/"[^"]*"/g, '""').replace(/NVIDIA [\w ]+?(?= \p{Script=Han})/gu, '');
const leftovers = [/[a-z]{2,} [a-z]{2,}/, /\p{Script=Han} +\p{Script=Han}/u, /\p{Script=Han}[^。]*[\p{Script=Han}\d]\. /u, / x /];

test.each(wrongScenarios)('says in Chinese what is wrong, with and without its buttons: %s', async (_, scenario) => {
  await language.use('zh');
  const answer = estimate(scenario);
  const messages = answer.ok ? answer.warnings : answer.issues;
  expect(messages.length).toBeGreaterThan(0);
  for (const issue of messages) {
    for (const message of [issue.message, withoutFixes(issue.message, fixesOf(issue, describe.fields))]) {
      const chinese = inLanguage(message);
      expect(chinese, message).toMatch(/\p{Script=Han}/u);
      for (const leftover of leftovers) expect(bare(chinese), message).not.toMatch(leftover);
    }
  }
});
