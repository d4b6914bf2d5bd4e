// Timeline, roofline, curves, comparison and advice: there, computed by the core, by pointer and keyboard.
import { field, openReady, startSite, untilText, verdictFigure } from './support/site';

startSite();
const words = '#timeline-words';

test('the timeline opens at the warm-up, zooms, and says what a block waits for', async () => {
  const { page, complaints } = await openReady('#v1;tab=step');
  await page.waitForSelector('#panel-step .plot rect[data-kind=forward]');
  const numbers = () => page.locator('#panel-step .plot text').allTextContents();
  expect((await numbers()).slice(0, 4)).toEqual(['0', '1', '2', '3']);
  await page.focus('#panel-step .plot');
  await page.keyboard.press('Enter');
  expect(await page.textContent(words)).toMatch(/^Forward of micro-batch 0, stage 0: starts at .*Waits for nothing\.$/);
  await page.keyboard.press('ArrowDown');
  expect(await page.textContent(words)).toMatch(/stage 1: starts/);
  await page.keyboard.press('Escape');
  const before = (await numbers()).length;
  await page.keyboard.press('+');
  await page.waitForFunction((many) => document.querySelectorAll('#panel-step .plot text').length < many, before);
  await page.keyboard.press('0');
  await page.waitForFunction(() => document.querySelector('.brush')!.getBoundingClientRect().width > 0.95 * document.querySelector('.strip')!.getBoundingClientRect().width);
  expect(complaints).toEqual([]);
});

test('a long step is drawn on a canvas with the same blocks under the pointer', async () => {
  const { page } = await openReady('#v1;m=llama-3.1-70b;c=dgx-h100*64;p=tp8,sp:on,pp4,z1;t=e:megatron,prec:bf16,s8192,mb1,gb2048;tab=step');
  await page.waitForSelector('#panel-step .plot svg rect[data-kind]');
  await page.focus('#panel-step .plot');
  await page.keyboard.press('0');
  await page.waitForSelector('#panel-step .plot canvas');
  const box = (await page.locator('#panel-step .plot').boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + 12);
  expect(await page.textContent(words)).toMatch(/micro-batch \d+, stage 0: starts at/);
});

test('the roofline shows every operation of a layer', async () => {
  const { page } = await openReady('#v1;tab=step');
  await page.waitForSelector('[aria-labelledby=roof-heading] tbody tr');
  const rows = await page.locator('[aria-labelledby=roof-heading] tbody th').allTextContents();
  expect(rows).toContain('MLP up');
  expect(await page.locator('[aria-labelledby=roof-heading] circle').count()).toBe(5);
});

test('a row of traffic opens its curve, and exposed times add up to the waterfall', async () => {
  const { page } = await openReady('#v1;tab=communication');
  await page.waitForSelector('#message-curve-heading');
  expect(await page.textContent('#message-curve-heading')).toBe('AllGather, TP');
  await page.locator('#panel-communication tr.row', { hasText: 'send_recv' }).click();
  await untilText(page, '#message-curve-heading', 'AllGather, TP');
  expect(await page.textContent('#message-curve-heading')).toBe('Send / recv, PP');
  const sum = Number((await page.textContent('#panel-communication tr.sum .strong'))!.replace(',', ''));
  const waterfall = Number(/([\d.]+) s/.exec((await page.textContent('#panel-communication p.small'))!.replace(/\u00a0/g, ' '))![1]);
  expect(sum / 1000).toBeCloseTo(waterfall, 2);
});

test('the ZeRO stages of one job, line by line', async () => {
  const { page } = await openReady('#v1;m=tinyllama-1.1b;c=dgx-a100-80gb*8;t=e:deepspeed,s2048,mb1,gb64;tab=compare');
  await page.click('.presets button:nth-child(2)');
  await page.waitForSelector('#compare-memory-heading');
  expect(await page.locator('#panel-compare tbody').first().locator('tr').count()).toBe(4);
  const before = await page.textContent('[aria-labelledby=compare-memory-heading] tr.total');
  await page.locator('input[name=compare-b]').nth(3).check();
  await untilText(page, '[aria-labelledby=compare-memory-heading] tr.total', before);
});

test('a preset says what each variant changed beside its name, the engine first, in the table and over the differences', async () => {
  const { page } = await openReady('#v1;tab=compare');
  await page.click('.presets button >> nth=1');
  await page.waitForSelector('#compare-memory-heading');
  const rows = await page.locator('#panel-compare tbody').first().locator('th').allTextContents();
  expect(rows).toHaveLength(4);
  expect(rows[1]).toMatch(/ZeRO 1\s*as now/);
  expect(rows[0]).not.toMatch(/Engine|as now/);
  for (const row of rows.slice(2)) expect(row).toMatch(/ZeRO [23]\s*Engine DeepSpeed/);
  await page.locator('input[name=compare-b]').nth(3).check();
  await page.waitForFunction(() => /ZeRO 3: Engine DeepSpeed/.test(document.querySelector('#panel-compare .heads')!.textContent!));
});

test('what is pinned is in the link, and the present one is compared with it', async () => {
  const { page } = await openReady('#v1;tab=compare');
  await page.click('#panel-compare .head button');
  await page.waitForSelector('#compare-step-heading');
  await page.fill(field('/training/micro_batch_size'), '2');
  await page.waitForFunction(() => location.hash.includes(';a=') && location.hash.includes('mb2'));
  await page.waitForFunction(() => document.querySelectorAll('[aria-labelledby=compare-memory-heading] .more').length > 0);
  const hash = new URL(page.url()).hash;
  const { page: other } = await openReady(hash);
  await other.waitForFunction(() => document.querySelectorAll('[aria-labelledby=compare-memory-heading] .more').length > 0);
});

test('advice fits, is previewed, applied and undone', async () => {
  const { page } = await openReady();
  await page.fill(field('/training/micro_batch_size'), '8');
  await page.waitForSelector('#verdict.no');
  await page.waitForFunction(() => document.querySelector('#suggestions-heading')?.textContent?.trim() === 'To make it fit' && document.querySelectorAll('.advice:not(.stale) li').length > 0);
  const figure = await page.textContent(verdictFigure);
  await page.hover('.advice li');
  await page.waitForSelector('#verdict:not(.no) .preview');
  await page.mouse.move(5, 5);
  await page.waitForSelector('#verdict.no');
  expect(await page.textContent(verdictFigure)).toBe(figure);
  await page.click('.advice li button');
  await page.waitForSelector('#verdict:not(.no)');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('Control+z');
  await page.waitForSelector('#verdict.no');
});

test('a hidden tab computes nothing', async () => {
  const { page } = await openReady();
  for (const [tab, part] of [['step', 'circle'], ['communication', '#message-curve-heading'], ['learn', 'details']] as const) {
    await page.click(`#tab-${tab}`);
    await page.waitForSelector(`#panel-${tab} ${part}`);
  }
  await page.evaluate(() => {
    const seen = window as unknown as { changes: number };
    seen.changes = 0;
    for (const panel of document.querySelectorAll('[role=tabpanel][hidden]')) {
      new MutationObserver((list) => (seen.changes += list.length)).observe(panel, { subtree: true, childList: true, characterData: true, attributes: true });
    }
  });
  const before = await page.textContent(verdictFigure);
  await page.fill(field('/training/micro_batch_size'), '2');
  await untilText(page, verdictFigure, before);
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => (window as unknown as { changes: number }).changes)).toBe(0);
});
