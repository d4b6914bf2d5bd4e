// The tab Learn: a claim is judged as it is typed, and what explains has the numbers of the present scenario.
import type { Page } from 'playwright-core';
import { field, openReady, startSite, untilHash, untilText } from './support/site';

startSite();
const panel = '#panel-learn';
const claim = `${panel} section[aria-labelledby=claim-heading]`;
const verdict = `${claim} .verdict`;
const type = (page: Page, label: string, text: string) => page.locator(`${claim} label`, { hasText: label }).first().locator('input').fill(text);

test('21 days on 128 A100 are not possible for 65B, on 2,048 they are', async () => {
  const { page, complaints } = await openReady('#v1;tab=learn');
  await page.waitForSelector(`${verdict}.no`);
  expect(await page.textContent(`${claim} .said`)).toContain('7.535 times its dense peak of 312');
  await type(page, 'Number of GPUs', '2,048');
  await page.waitForSelector(`${verdict}.yes`);
  await type(page, 'Time', '3 moons');
  await page.waitForSelector(`${claim} .wrong`);
  await type(page, 'Time', '');
  await type(page, 'MFU', '40%');
  await page.waitForSelector(`${verdict}.yes`);
  // 65e9 * 6 * 1.4e12 FLOPs at 40 % of 312 TFLOP/s on 2,048 GPUs: 24.7 days.
  await page.waitForSelector(`${claim} tr:has-text("Time") td:text-matches("24\\.7.days")`);
  expect(complaints).toEqual([]);
});

test('the present scenario is taken as a claim', async () => {
  const { page } = await openReady('#v1;tab=learn');
  await page.waitForSelector(verdict);
  await page.click(`${claim} button:has-text("take the present scenario")`);
  await page.waitForSelector(`${claim} .model b:has-text("Llama 3.1 70B")`);
  await page.waitForSelector(`${verdict}.yes`);
});

test('tree, links, strategies and formulas follow the scenario', async () => {
  const { page, complaints } = await openReady('#v1;tab=learn');
  await page.waitForSelector(`${panel} li.lit`);
  expect(await page.locator(`${panel} li:has(.here) b`).textContent()).toMatch(/^PP/);
  expect(await page.locator(`${panel} ol li.lit`).first().locator('.answer .no').count()).toBe(1);
  await page.waitForSelector(`${panel} [aria-labelledby=bandwidth-heading] .used`);
  expect(await page.locator(`${panel} [aria-labelledby=strategies-heading] tbody tr`).nth(1).locator('td.number').textContent()).toBe('× 8');
  const run = `${panel} [aria-labelledby=formulas-run]`;
  await page.waitForSelector(`${run} tr:has-text("MFU")`);
  const before = await page.textContent(run);
  await page.fill(field('/training/micro_batch_size'), '2');
  await untilText(page, run, before);
  expect(complaints).toEqual([]);
});

test('a branch that fits is tried: the job then stands there', async () => {
  const { page } = await openReady('#v1;m=tinyllama-1.1b;c=dgx-h100*8;t=e:megatron,s2048,mb1,gb64;p=tp2;tab=learn');
  await page.waitForSelector(`${panel} li:has(.here) b:has-text("TP")`);
  await page.locator(`${panel} li`, { hasText: 'DDP: cut the batch' }).locator('button').click();
  await untilHash(page, 'e:ddp');
  await page.waitForSelector(`${panel} li:has(.here) b:has-text("DDP")`);
});

test('the groups of a rank are lit and listed', async () => {
  const { page } = await openReady('#v1;tab=learn');
  await page.click(`${panel} nav button:has-text("Process groups")`);
  const groups = '#panel-communication .groups';
  await page.waitForSelector(`${groups} svg[role=img]`);
  await page.focus(`${groups} svg[role=img]`);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector(`${groups} th:has-text("rank 9")`);
  const rows = await page.locator(`${groups} tbody tr`).allTextContents();
  expect(rows.find((text) => text.includes('stages'))).toContain('9, 25, 41, 57'); // PP: 16 ranks apart
});
