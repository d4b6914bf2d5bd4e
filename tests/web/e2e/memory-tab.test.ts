// The tab Memory: of one GPU or of all of a stage, in GiB or GB, of each total; what is replicated says so.
import type { Page } from 'playwright-core';
import { openReady, startSite } from './support/site';

startSite();
const cell = '#cell-0-backward span';
const total = (page: Page, name: string) => page.locator('#panel-memory tr.total', { hasText: name }).locator('td.number').first().textContent();
const press = (page: Page, name: string) => page.click(`#panel-memory [role=group] button:text-is("${name}")`);
const number = (text: string | null) => Number(text!.replaceAll(',', ''));

test('grid and ledger change unit, scope and total together', async () => {
  const { page, complaints } = await openReady();
  const gib = number(await page.textContent(cell));
  expect(number(await total(page, 'Device'))).toBeCloseTo(gib, 0);
  await press(page, 'GB');
  expect(number(await page.textContent(cell)) / gib).toBeCloseTo(2 ** 30 / 1e9, 2);
  expect(await page.textContent('#panel-memory th:has-text("GB")')).toBe('GB');
  await press(page, 'GiB');
  await press(page, 'all GPUs of the stage');
  expect(number(await page.textContent(cell)) / gib).toBeCloseTo(16, 1); // 64 GPUs, 4 stages
  expect(await page.textContent('#panel-memory th:has-text("GiB")')).toBe('GiB, 16 GPUs');
  await press(page, 'a GPU');
  for (const [button, row] of [['allocated', 'Allocated'], ['reserved', 'Reserved'], ['device', 'Device']] as const) {
    await press(page, button);
    expect(number(await page.textContent(cell))).toBeCloseTo(number(await total(page, row)), 0);
  }
  expect(complaints).toEqual([]);
});

test('QLoRA on two cards: what is sharded and what is not', async () => {
  const { page } = await openReady('#v1;m=llama-2-70b;c=gpu:rtx-4090*2;t=e:fsdp2,ft:qlora,s2048,mb1,gb2');
  await page.waitForSelector('#panel-memory td:has-text("Scales of the quantised base"):has-text("replicated on all 2 DP ranks")');
  await page.waitForSelector('#panel-memory td:has-text("Frozen parameters"):has-text("sharded over 2")');
});

test('offloaded states stand in host memory', async () => {
  const { page } = await openReady('#v1;m=llama-2-7b;c=dgx-h100*8;p=z3;t=e:deepspeed,s4096,mb1,gb8');
  expect(await page.locator('#panel-memory dd:has-text("host memory")').count()).toBe(0);
  await page.keyboard.press('/');
  await page.fill('dialog[open] input', 'optimizer offload');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'field-/training/optimizer_offload');
  await page.selectOption('[id="field-/training/optimizer_offload"]', 'cpu');
  await page.waitForSelector('#panel-memory dd:has-text("host memory")');
});
