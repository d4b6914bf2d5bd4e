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

test('what is wrong is said over the rows that are done, and among them once the field is left', async () => {
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

const sizes = [[360, 740], [768, 1024], [1280, 800]] as const;
/** What is typed wrong, and the field that comes next. */
const wrong = [
  ['/cluster/gpus', '-3', '/parallelism/tensor_parallel_size'],
  ['/parallelism/tensor_parallel_size', 'six', '/parallelism/zero_stage'],
  ['/training/sequence_length', 'x', '/training/micro_batch_size'],
  ['/training/micro_batch_size', '0', '/training/global_batch_size'],
  ['/training/tokens', 'many', ''],
] as const;

test.each(sizes)('a message leaves in sight what is typed and what comes next, and can be read whole, at %i px', async (width, height) => {
  const { page } = await openReady('', { viewport: { width, height } });
  if (width < 1024) await page.click('#scenario-edit');
  for (const [path, text, next] of wrong) {
    await page.fill(field(path), text);
    await page.waitForSelector('.floating .box.wrong');
    await frames(page);
    const [box, own, after] = await Promise.all(['.floating .box', field(path), next ? field(next) : ''].map((of) => (of ? page.locator(of).boundingBox() : null)));
    const apart = (one: typeof box, other: typeof box) => one!.y + one!.height <= other!.y || other!.y + other!.height <= one!.y;
    expect(apart(box!, own!), `${path} is hidden`).toBe(true);
    if (after) expect(apart(box!, after), `${next} is hidden`).toBe(true);
    expect(box!.y, path).toBeGreaterThanOrEqual(0);
    expect(box!.y + box!.height, path).toBeLessThanOrEqual(height);
    // Nothing lies over the message itself.
    expect(await page.locator('.floating .box').evaluate((element) => {
      const { left, top, width: w, height: h } = element.getBoundingClientRect();
      return [0.1, 0.5, 0.9].every((share) => element.contains(document.elementFromPoint(left + w / 2, top + h * share)));
    }), path).toBe(true);
    await page.fill(field(path), '');
    await page.waitForFunction(() => !document.querySelector('.floating'));
    await page.locator(field(path)).blur();
  }
});

test('what a number makes wrong elsewhere is said where it is typed', async () => {
  const { page } = await openReady();
  await page.fill(field('/training/micro_batch_size'), '3');
  await page.waitForSelector('#verdict.invalid');
  await page.waitForSelector('.floating b');
  expect(await page.locator('.floating').count()).toBe(1);
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
