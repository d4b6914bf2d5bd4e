// The answer: there at first paint, live on each key stroke, kept when the input is wrong.
import { readdir } from 'node:fs/promises';
import { load } from 'meshgauge';
import type { Estimate } from '$page/core/types';
import { numbers } from '$page/numbers/format';
import { defaultScenario } from '$page/state/default-scenario';
import { write } from '$page/state/pointer';
import { verdictWords } from '$page/verdict/words';
import { dist } from './support/server';
import { field, issue, open, openReady, ready, startSite, theSite, untilText, untilTextIs, untilValue, verdictFigure, verdictWord } from './support/site';

startSite();
const tensor = '/parallelism/tensor_parallel_size';

test('the first paint needs no script: verdict and figures are in the HTML', async () => {
  const { page } = await open('', { javaScriptEnabled: false });
  expect(await page.textContent(verdictWord)).toContain('Fits');
  expect(Number(await page.textContent(verdictFigure))).toBeGreaterThan(1);
  expect(await page.locator('.memory .segment').count()).toBeGreaterThan(8);
});

test('the core gives the same figures as the prerendered page', async () => {
  const { page: plain } = await open('', { javaScriptEnabled: false });
  const { page, complaints } = await openReady();
  for (const part of ['#verdict', '.values', '.totals', '.step table', '#panel-memory']) {
    const texts = await Promise.all([page.textContent(part), plain.textContent(part)]);
    const [live, prerendered] = texts.map((text) => text?.replace(/\s+/g, ' '));
    expect(live, part).toBe(prerendered);
  }
  expect(complaints).toEqual([]);
});

test('typing changes the verdict', async () => {
  const { page } = await openReady();
  const before = await page.textContent(verdictFigure);
  await page.fill(field('/training/micro_batch_size'), '2');
  await untilText(page, verdictFigure, before);
});

test('after keys in quick succession, right and wrong, verdict and charts are of the last', async () => {
  const { page } = await openReady();
  const path = '/training/sequence_length';
  await page.evaluate(async (selector) => {
    const input = document.querySelector<HTMLInputElement>(selector)!;
    input.focus();
    const texts = ['4096', '8192', 'x', '12288', '4096', '16384', 'y', '2048'];
    for (const [i, text] of [...texts, ...texts].entries()) {
      input.value = text;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      if (i % 3 === 0) await new Promise((next) => setTimeout(next, i));
    }
  }, field(path));
  const core = await load();
  const scenario = write(defaultScenario, path, 2048);
  const last = JSON.parse(core.apiText(JSON.stringify({ command: 'estimate', scenario }))) as Estimate;
  await untilTextIs(page, '.totals b', numbers('en').gib(last.memory.allocated_bytes, 1));
  expect(await page.textContent(verdictFigure)).toBe(verdictWords(last).figure);
  expect(await page.textContent('#verdict .tile b')).toBe(numbers('en').duration(last.step.seconds).value);
});

test('what does not fit says so, and by how much', async () => {
  const { page } = await openReady();
  await page.fill(field('/training/micro_batch_size'), '8');
  await page.waitForSelector('#verdict.no');
  expect(await page.textContent(verdictWord)).toContain('Does not fit');
  expect(await page.textContent('#verdict .scope')).toMatch(/GiB over on stage \d+ in \w+/);
  expect(await page.textContent('#verdict')).toContain('Step, if it fitted');
});

test('wrong input is said at its field and loses nothing', async () => {
  const { page } = await openReady();
  const before = await page.textContent(verdictFigure);
  await page.fill(field(tensor), 'six');
  await page.waitForSelector('#verdict.invalid');
  const message = await page.textContent(issue(tensor));
  expect(message).toMatch(/six/);
  expect(await page.getAttribute(field(tensor), 'aria-invalid')).toBe('true');
  expect(await page.inputValue(field(tensor))).toBe('six');
  await page.locator(field(tensor)).blur();
  expect(await page.inputValue(field(tensor))).toBe('six');
  expect(await page.textContent(verdictFigure)).toBe(before);
  await page.fill(field(tensor), '8');
  await page.waitForSelector('#verdict:not(.invalid)');
});

test('a value may be written as people write it', async () => {
  const { page } = await openReady();
  await page.fill(field('/training/sequence_length'), '16k');
  await page.locator(field('/training/sequence_length')).blur();
  await untilValue(page, field('/training/sequence_length'), '16,384');
});

test('arrow keys go to the next value the core accepts', async () => {
  const { page } = await openReady();
  await page.focus(field(tensor));
  await page.keyboard.press('ArrowDown');
  await untilValue(page, field(tensor), '4');
});

test('without the core the page says so and keeps its figures', async () => {
  theSite().refuse('.wasm');
  const { page } = await open();
  await page.waitForSelector('[role=alert]');
  expect(await page.textContent('[role=alert]')).toMatch(/could not start.*default scenario/);
  theSite().refuse(undefined);
  await page.click('[role=alert] button');
  await page.waitForSelector('[role=alert]', { state: 'detached' });
});

test.each(['boot.json', 'worker'])('without %s the page says so, keeps its figures and can be retried', async (name) => {
  const missing = name === 'worker' ? (await readdir(`${dist}/assets`)).find((file) => file.startsWith('worker'))! : name;
  theSite().refuse(missing);
  const { page } = await open('', { locale: 'zh-CN', serviceWorkers: 'block' });
  const alert = page.locator('[role=alert]');
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/(?:计算核心没有启动|could not start)/);
  expect(Number(await page.textContent(verdictFigure))).toBeGreaterThan(1);
  theSite().refuse(undefined);
  await alert.locator('button').first().click();
  await ready(page);
  await page.fill(field('/training/micro_batch_size'), '8');
  await page.waitForSelector('#verdict.no');
});
