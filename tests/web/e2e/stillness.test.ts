// Nothing moves by itself: not while the page loads, not while somebody types, not when tabs are changed.
import type { Page } from 'playwright-core';
import { field, openReady, startSite, untilText, verdictFigure } from './support/site';

startSite();

interface Watched extends Window {
  moved: string[];
}
/** Whatever comes to lie higher or lower, just after a key stroke, too, which the usual sum leaves out. Words that give
    way to longer ones in their line are no movement. */
function watch(): void {
  const watched = window as unknown as Watched;
  watched.moved = [];
  const least = 3; // a figure that gives way to a smaller type, on the same line
  interface Shift extends PerformanceEntry {
    sources: { node?: Node; previousRect: DOMRect; currentRect: DOMRect }[];
  }
  new PerformanceObserver((list) => {
    for (const { node, previousRect: before, currentRect: after } of (list.getEntries() as Shift[]).flatMap(({ sources }) => sources)) {
      const both = before.height > 0 && after.height > 0;
      if (both && Math.abs(after.y - before.y) > least) watched.moved.push(`${node?.textContent?.trim().slice(0, 40)}: ${before.y} to ${after.y}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}
const moved = (page: Page) => page.evaluate(() => (window as unknown as Watched).moved.splice(0));
const frames = (page: Page) => page.evaluate(() => new Promise((after) => requestAnimationFrame(() => requestAnimationFrame(after))));

test.each([
  [360, 740],
  [768, 1024],
  [1280, 800],
  [1920, 1080],
])('nothing moves while the page loads, %i pixels wide', async (width, height) => {
  const { page } = await openReady('', { viewport: { width, height }, before: watch });
  await frames(page);
  expect(await moved(page)).toEqual([]);
});

test('nothing moves while somebody types, right or wrong', async () => {
  const { page } = await openReady('', { before: watch });
  await page.waitForFunction(() => document.querySelectorAll('.advice li').length > 0);
  for (const [path, texts] of [
    ['/training/micro_batch_size', ['2', '4', '3', '1']],
    ['/cluster/gpus', ['1', '12', '128', '64']],
    ['/training/sequence_length', ['1', '16', '16k', 'x', '8192']],
    ['/training/tokens', ['3e', '1.4T', '1T']],
  ] as const) {
    await page.focus(field(path));
    await frames(page);
    await moved(page); // what the browser scrolls into sight
    for (const text of texts) {
      await page.fill(field(path), text);
      await frames(page);
      await page.waitForFunction(() => !document.querySelector('.advice.stale'), undefined, { timeout: 3000 }).catch(() => undefined);
    }
    expect(await moved(page), path).toEqual([]);
  }
});

test('what is wrong is said over the rows below, and among them once the field is left', async () => {
  const { page } = await openReady();
  const top = () => page.locator('#layout-heading').boundingBox().then((box) => box!.y);
  const before = await top();
  const figure = await page.textContent(verdictFigure);
  await page.fill(field('/cluster/gpus'), '-3');
  await page.waitForSelector('[id="issue-/cluster/gpus"]');
  expect(await top()).toBe(before);
  await page.keyboard.press('Tab');
  await page.waitForFunction((was) => document.querySelector('#layout-heading')!.getBoundingClientRect().y > was, before);
  await page.fill(field('/cluster/gpus'), '128');
  await untilText(page, verdictFigure, figure);
  expect(await page.locator('[id="issue-/cluster/gpus"]').count()).toBe(0);
});

test('a tab bar keeps its places', async () => {
  const { page } = await openReady('', { before: watch });
  const places = () => page.locator('[role=tab]').evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().x));
  const before = await places();
  for (const [tab, part] of [['step', 'circle'], ['communication', '#message-curve-heading'], ['launch', 'dl'], ['learn', 'li.lit'], ['memory', 'table']] as const) {
    await moved(page);
    await page.evaluate((id) => document.getElementById(`tab-${id}`)!.click(), tab);
    await page.waitForSelector(`#panel-${tab} ${part}`);
    await frames(page);
    expect(await places()).toEqual(before);
    expect(await moved(page), tab).toEqual([]);
  }
});
