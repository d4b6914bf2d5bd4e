// Below the answer: the ledger that opens, the tabs, the textbook cases; and that every figure is the core's.
import { load } from 'meshgauge';
import type { Describe, Estimate } from '$page/core/types';
import { numbers } from '$page/numbers/format';
import { decode, encode } from '$page/state/link';
import { defaultScenario } from '$page/state/default-scenario';
import { allParts } from '$page/summary/parts';
import { trafficOf } from '$page/summary/traffic';
import { rowsOf } from '$page/tabs/memory/rows';
import { openReady, startSite, verdictFigure } from './support/site';

startSite();

test('a ledger line opens in place to formula, values, result and source', async () => {
  const { page } = await openReady();
  const button = page.locator('tr.line button').first();
  await button.click();
  expect(await button.getAttribute('aria-expanded')).toBe('true');
  const detail = await page.locator('tr.detail').first().textContent();
  expect(detail).toMatch(/[\d,]+ B = [\d.]+ GiB/);
  expect(detail).toContain('Source');
});

test('the ledger follows the chosen cell of the grid', async () => {
  const { page } = await openReady();
  await page.locator('td.chosen').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await page.textContent('#ledger-heading')).toContain('stage 1');
});

test('the device total of the ledger is the figure of the verdict', async () => {
  const { page } = await openReady();
  const device = Number((await page.locator('tr.total').last().locator('td.number').first().textContent())?.replace(',', ''));
  expect(device.toFixed(1)).toBe((await page.textContent(verdictFigure))?.replace(',', ''));
});

test('a segment of a bar opens its line', async () => {
  const { page } = await openReady();
  await page.locator('.memory .segment.optimizer').first().click();
  expect(await page.locator('tr.detail').count()).toBe(1);
});

test('exposed times of the traffic add up to the communication of the step', async () => {
  const { page } = await openReady('#v1;tab=communication');
  await page.waitForSelector('#panel-communication table');
  const exposed = (await page.locator('#panel-communication tr.sum td.strong').textContent())!;
  await page.click('#tab-step');
  await page.waitForSelector('#panel-step table');
  expect(await page.textContent('#panel-step thead')).toContain('Time s');
  const rows = page.locator('#panel-step table[aria-labelledby=parts-heading] tbody tr').filter({ hasText: 'communication' });
  const seconds = await rows.locator('td.number:not(.quiet)').allTextContents();
  const parts = seconds.reduce((sum, text) => sum + Number(text.replace(',', '')), 0);
  expect(Math.abs((parts * 1000) / Number(exposed.replace(',', '')) - 1)).toBeLessThan(0.01);
});

const links: [string, string, 'en' | 'zh'][] = [
  ['the default', await encode(defaultScenario), 'en'],
  ['experts on 2,048 GPUs', '#v1;m=deepseek-v3;c=dgx-h100*2048;p=pp16,ep64;t=e:megatron,s4096,mb1,gb15360,tok14.8e12', 'zh'],
  ['32 stages', '#v1;m=gpt3-175b;c=dgx-a100-80gb*1536;p=tp8,pp32;t=e:megatron,mb1,gb1536', 'en'],
  ['one small card', '#v1;m=gpt2;c=gpu:rtx-4090*1', 'zh'],
];

test.each(links)('every figure is the core’s, in the same digits everywhere: %s', async (_, link, code) => {
  const core = await load();
  const ask = (request: object): unknown => JSON.parse(core.apiText(JSON.stringify(request)));
  const { memory, step, ...rest } = ask({ command: 'estimate', scenario: (await decode(link))!.scenario, explain: true }) as Estimate;
  const { phases, parts } = ask({ command: 'describe' }) as Describe;
  const n = numbers(code);
  const { page } = await openReady(link, { locale: code === 'zh' ? 'zh-CN' : 'en-US' });
  const texts = async (selector: string) => (await page.locator(selector).allTextContents()).map((text) => text.trim());

  const figure = await page.textContent(verdictFigure);
  expect([n.gib(memory.needed_bytes, 1), `${n.gib(memory.needed_low_bytes, 1)}–${n.gib(memory.needed_high_bytes, 1)}`]).toContain(figure);
  expect(await texts('#verdict .tile .value')).toEqual(expect.arrayContaining([n.join(n.duration(step.seconds)).replace('\u00a0', ' '), `${n.integer(step.mfu * 100)} %`]));
  expect(await texts('.totals b')).toEqual([memory.allocated_bytes, memory.reserved_bytes, memory.device_bytes].map((bytes) => n.gib(bytes, 1)));
  expect(await texts('[role=gridcell] span')).toEqual(
    memory.stages.flatMap((stage) => phases.map((phase) => (stage.phases[phase]! > 0 ? n.gib(stage.phases[phase]!, 1) : '–'))),
  );
  const ledger = rowsOf(memory.stages[memory.binding.stage]!, memory.binding.phase, false).map((row) => (row.kind === 'line' ? row.line.bytes : row.bytes));
  expect(await texts('#panel-memory [data-part=ledger] tbody td.number:not(.share):not(.quiet)')).toEqual(ledger.map((bytes) => n.gib(bytes)));
  expect(ledger.slice(-2)).toEqual([memory.device_bytes, memory.needed_bytes]);
  // Beyond 16 stages columns have no figures of their own.
  const values = await texts('.values .binding');
  expect(values).toEqual(memory.stages.length > 16 ? [] : [`${n.gib(memory.needed_bytes, 1)} GiB`]);

  const column = n.timeColumn(step.seconds);
  await page.click('#tab-step');
  await page.waitForSelector('#panel-step table');
  expect(await texts('#panel-step table[aria-labelledby=parts-heading] tbody td.number:not(.quiet)')).toEqual(
    [...allParts(step, parts).map(({ seconds }) => column.of(seconds)), column.of(step.seconds), n.percent(1)],
  );
  await page.click('#tab-communication');
  const traffic = trafficOf({ memory, step, ...rest }, step.slowest_stage);
  if (traffic.length > 0) await page.waitForSelector('#panel-communication table');
  expect(await texts('#panel-communication .traffic tbody tr:not(.sum) td:last-child')).toEqual(traffic.map(({ exposed }) => n.milliseconds(exposed)));
});

test('a textbook case shows its formula, the numbers in it, and notes; in Chinese without English units', async () => {
  const { page } = await openReady('#v1;tab=learn', { locale: 'zh-CN' });
  await page.waitForSelector('#panel-learn details');
  await page.locator('#panel-learn summary', { hasText: '激活值：38 GB' }).click();
  const open = await page.textContent('#panel-learn details[open]');
  expect(open).toContain('s · b · h · (34 + 5 · s · a / h) · L / 1e9');
  expect(open).toContain('2,048 · 4 · 4,096');
  expect(open).toContain('GPT-3 6.7B 的 h、a、L 正是这些值。');
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
  const amounts = await page.locator('#panel-learn td.number').allTextContents();
  expect(amounts.filter((amount) => /GPUs|years|days|param|\d\sh$/.test(amount))).toEqual([]);
  expect(amounts.join(' ')).toMatch(/卡.*年.*天.*小时/s);
});

test('arrows go through the ledger, which is one stop of Tab', async () => {
  const { page } = await openReady();
  const lines = page.locator('tr.line button');
  await lines.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await lines.nth(1).getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('End');
  expect(await lines.last().evaluate((line) => line === document.activeElement)).toBe(true);
  expect(await page.locator('tr.line button[tabindex="0"]').count()).toBe(1);
});

test('over 16 stages the scale stands where the capacity line says', async () => {
  const { page } = await openReady('#v1;m=gpt3-175b;c=dgx-a100-80gb*1536;p=tp8,pp32;t=e:megatron,mb1,gb1536');
  const scale = await page.evaluate(() => {
    const height = (text: Element) => Number(text.getAttribute('y')) - 4;
    const ticks = [...document.querySelectorAll('.memory .scale text')].map((text) => [parseFloat(text.textContent!), height(text)] as const);
    const line = Number(document.querySelector('.memory .capacity')!.getAttribute('y1'));
    const [[low, lowAt], [high, highAt]] = [ticks[0]!, ticks.at(-1)!];
    return low + ((lowAt - line) / (lowAt - highAt)) * (high - low);
  });
  expect(scale).toBeCloseTo(79.3, 0);
});

test('tabs are links and move by arrow keys', async () => {
  const { page } = await openReady();
  await page.focus('#tab-memory');
  await page.keyboard.press('ArrowRight');
  expect(await page.getAttribute('#tab-step', 'aria-selected')).toBe('true');
  await page.waitForSelector('#panel-step table');
});
