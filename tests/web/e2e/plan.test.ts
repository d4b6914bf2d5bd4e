// The best layouts: found, adopted, held, stopped; the inverse questions.
import type { Page } from 'playwright-core';
import { field, openReady, startSite, untilHash, untilValue } from './support/site';

startSite();
const panel = '#panel-plan';
const small = '#v1;m=llama-2-7b;c=dgx-h100*8;p=z2;t=e:fsdp2,s4096,mb1,gb64';
const row = (nth: number) => `${panel} table.figures >> nth=0 >> tbody tr >> nth=${nth}`;
const found = (page: Page) => page.waitForSelector(`${panel} h2:has-text("layouts judged")`);

async function planOf(hash: string): Promise<Page> {
  const { page, complaints } = await openReady(hash);
  await page.click('#tab-plan');
  await found(page);
  expect(complaints).toEqual([]);
  return page;
}

test('the first layout is adopted, is then one’s own, and one undo takes it back', async () => {
  const page = await planOf(small);
  expect(await page.textContent(`${panel} tr.mine`)).toContain('yours');
  const step = (await page.textContent(`${row(0)} >> .seconds`))!;
  await page.click(`${row(0)} >> button`);
  await page.waitForSelector(`${panel} tr.first.mine`);
  expect(await page.textContent(`${panel} tr.first.mine .seconds`)).toBe(step);
  expect(page.url()).toContain('tab=plan');
  await page.keyboard.press('Control+z');
  await page.waitForSelector(`${panel} tr.mine:not(.first)`);
});

test('what is held is not searched', async () => {
  const page = await planOf('#v1;m=llama-3-8b;c=dgx-h100*8;p=tp2;t=e:megatron,s8192,mb1,gb32');
  await page.click(`${panel} label:has-text("TP")`);
  await page.waitForFunction((where) => {
    const degrees = [...document.querySelectorAll(`${where} table.figures td[data-label=TP]`)];
    return degrees.length > 3 && degrees.every((cell) => cell.textContent === '2');
  }, panel);
});

test('time against memory is a table as well, with what lost by which rule', async () => {
  const page = await planOf('#v1;m=llama-2-7b;c=dgx-h100*24;t=e:megatron,s4096,mb1,gb24');
  await page.click(`${panel} button:has-text("as table")`);
  expect(await page.locator(`${panel} [aria-labelledby=pareto-heading] tbody tr`).count()).toBeGreaterThan(2);
  const lost = `${panel} [aria-labelledby=lost-heading]`;
  await page.click(`${lost} summary:has-text("TP does not divide heads")`);
  expect(await page.textContent(lost)).toMatch(/does not divide \d+ attention heads.*Allowed/);
});

test('where nothing fits the nearest are named', async () => {
  const page = await planOf('#v1;m=llama-3.1-405b;c=dgx-h100*8;t=e:megatron,s8192,mb1,gb8');
  await page.waitForSelector(`${panel} p:has-text("No layout fits")`);
  expect(await page.textContent(panel)).toMatch(/lacks [\d.]+ GiB/);
});

test('a long search tells how far it is and can be stopped', async () => {
  const { page } = await openReady('#v1;m=deepseek-v3;c=dgx-h100*2048;p=tp4,pp16,ep32;t=e:megatron,s4096,mb1,gb15360');
  await page.click('#tab-plan');
  await page.waitForSelector(`${panel} .state:has-text("best so far")`);
  await page.fill(field('/training/micro_batch_size'), '2'); // a key stroke is not held up
  await page.waitForSelector('#verdict .word');
  await page.waitForSelector(`${panel} progress`);
  await page.keyboard.press('Escape');
  await page.waitForSelector(`${panel} progress`, { state: 'detached' });
  expect(await page.locator(`${panel} h2 >> nth=0`).textContent()).toBe('Layouts');
});

test('the fewest GPUs are found and adopted', async () => {
  const page = await planOf(small);
  await page.click(`${panel} button:has-text("fewest GPUs")`);
  await page.waitForSelector(`${panel} .answer`);
  const gpus = /\d+/.exec((await page.textContent(`${panel} .answer`))!)![0];
  const solved = (await page.textContent(`${panel} [aria-labelledby=solve-heading]`))!;
  expect(solved).toMatch(/no layout is 95 % likely to fit: the one that needs least/);
  expect(solved).toMatch(/(>\s99%|9\d%) likely to fit, [\d.]+ of 79\.1 GiB/);
  expect(solved).toMatch(/What binds: \w+, stage 0; the largest part is .+ with [\d.]+ GiB/);
  await page.click(`${panel} [aria-labelledby=solve-heading] [role=status] button:has-text("adopt")`);
  await untilValue(page, field('/cluster/gpus'), gpus);
  await untilHash(page, `dgx-h100*${gpus}`);
});

test('one meaning of fit: what the longest sequence rests on is in the list, as sure', async () => {
  const page = await planOf('#v1;m=llama-3.1-8b;c=dgx-h100*8;t=e:fsdp2,s8192,mb1,gb8');
  await page.click(`${panel} button:has-text("longest sequence")`);
  await page.waitForSelector(`${panel} .answer`);
  const chance = (text: string | null) => Number(/(\d+)%/.exec(text!)![1]);
  expect(chance(await page.textContent(`${panel} [aria-labelledby=solve-heading] [role=status] p >> nth=1`))).toBeGreaterThanOrEqual(95);
  expect(await page.textContent(`${panel} .binds`)).toMatch(/What binds: \w+, stage 0; the largest part is .+ with [\d.]+ GiB/);
  await page.click(`${panel} [aria-labelledby=solve-heading] [role=status] button:has-text("adopt")`);
  await page.waitForSelector('#verdict.fits');
  await page.waitForFunction((where) => !document.querySelector(`${where} progress`) && document.querySelector(`${where} tr.first`), panel);
  expect(chance(await page.textContent(`${row(0)} >> [data-label=Fits]`))).toBeGreaterThanOrEqual(95);
});

test('a deadline without tokens says what is missing', async () => {
  const page = await planOf(small);
  await page.click(`${panel} button:has-text("cheapest for a deadline")`);
  await page.waitForSelector(`${panel} [aria-labelledby=solve-heading] .wrong:has-text("tokens")`);
});
