// Where the page lives: any width, no network after load, a strict policy, nothing that moves.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dist, serve } from './support/server';
import { tabs } from '$page/state/view.svelte';
import { field, openReady, ready, reload, startSite, theSite, untilText, verdictFigure } from './support/site';

startSite();

test.each([320, 360, 390, 640, 768, 1024, 1280, 1600, 2560])('at %i px nothing scrolls sideways', async (width) => {
  const { page } = await openReady('', { viewport: { width, height: 800 } });
  for (const tab of tabs) {
    await page.click(`#tab-${tab}`);
    if (tab === 'measured') await page.click(`#panel-measured ul button >> nth=-1`); // the example
    await page.waitForSelector(`#panel-${tab} table, #panel-${tab} details, #panel-${tab} .presets, #panel-${tab} pre`);
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(excess, tab).toBe(0);
  }
});

test.each([640, 768, 1023])('at %i px the inputs unfold in two columns under the summary and fold again, and nothing else moves by itself', async (width) => {
  const { page } = await openReady('', { viewport: { width, height: 1000 } });
  const y = (of: string) => page.locator(of).first().boundingBox().then((box) => box!.y);
  const [verdict, charts] = [await y('#verdict'), await y('.charts')];
  expect(await page.locator('form.inputs').isVisible()).toBe(false);
  await page.click('#scenario-edit');
  expect(await page.getAttribute('#scenario-edit', 'aria-expanded')).toBe('true');
  expect(await y('#verdict')).toBe(verdict);
  const [summary, form] = await Promise.all(['.scenario', 'form.inputs'].map((of) => page.locator(of).boundingBox()));
  expect(form!.y).toBeGreaterThanOrEqual(summary!.y + summary!.height);
  expect(await y('.charts')).toBeGreaterThanOrEqual(form!.y + form!.height);
  const [model, recipe] = await Promise.all(['#model-heading', '#recipe-heading'].map((of) => page.locator(of).boundingBox()));
  expect(Math.abs(model!.y - recipe!.y)).toBeLessThan(4);
  expect(recipe!.x).toBeGreaterThan(model!.x + 200);
  // The next stop of Tab after the button is the form's first control.
  await page.focus('#scenario-edit');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement!.closest('form') !== null)).toBe(true);
  await page.fill(field('/training/micro_batch_size'), '8');
  await page.waitForSelector('#verdict.no');
  expect(await y('#verdict')).toBe(verdict);
  await page.keyboard.press('Escape');
  expect(await page.locator('form.inputs').isVisible()).toBe(false);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('scenario-edit');
  expect(await y('.charts')).toBe(charts);
  // Wider, the same form is the column, with what was typed.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.waitForFunction(() => document.querySelector('form.inputs')!.getBoundingClientRect().right <= document.querySelector('main')!.getBoundingClientRect().left + 1);
  expect(await page.inputValue(field('/training/micro_batch_size'))).toBe('8');
});

test('on a phone the inputs are a sheet with the verdict on top', async () => {
  const { page } = await openReady('', { viewport: { width: 360, height: 740 } });
  expect(await page.locator('form.inputs').isVisible()).toBe(false);
  await page.click('.scenario button');
  expect(await page.locator('.sheet-head').textContent()).toContain('Fits');
  const box = await page.locator(field('/parallelism/tensor_parallel_size')).boundingBox();
  expect(box!.height).toBeGreaterThanOrEqual(42);
  await page.keyboard.press('Escape');
  expect(await page.locator('form.inputs').isVisible()).toBe(false);
});

test('once the copy for use without a network is there, nothing is asked of the server', async () => {
  const { page, complaints } = await openReady();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await page.waitForSelector('.advice li');
  theSite().asked.length = 0;
  const others: string[] = [];
  page.context().on('request', (request) => request.url().startsWith(theSite().url) || others.push(request.url()));
  await page.fill(field('/training/micro_batch_size'), '2');
  for (const tab of tabs) await page.click(`#tab-${tab}`);
  await page.click('button[lang="zh-CN"]');
  await page.waitForSelector('html[lang="zh-CN"]');
  await page.waitForSelector('#panel-learn details');
  expect(theSite().asked).toEqual([]);
  expect(others).toEqual([]);
  expect(complaints).toEqual([]);
});

test('the module of searches is fetched after the page answers, and a first use without a network finds it', async () => {
  const { page } = await openReady();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await page.context().setOffline(true);
  await page.click('#tab-step');
  await page.waitForSelector('[aria-labelledby=roof-heading] tbody tr');
});

test('without the module of searches the rest works, and a retry brings it', async () => {
  theSite().refuse('meshgauge-all');
  onTestFinished(() => theSite().refuse(undefined));
  const { page } = await openReady('', { serviceWorkers: 'block' });
  await page.click('#tab-step');
  await page.waitForSelector('#panel-step .asking .failed');
  const before = await page.textContent(verdictFigure);
  await page.fill(field('/training/micro_batch_size'), '2');
  await untilText(page, verdictFigure, before);
  await page.waitForFunction(() => document.querySelectorAll('#panel-step .asking .failed button').length === 2);
  theSite().refuse(undefined);
  await page.evaluate(() => document.querySelector<HTMLElement>('#panel-step .asking .failed button')!.click());
  await page.waitForSelector('#panel-step .plot rect[data-kind=forward]');
});

test('it loads without a network', async () => {
  const { page } = await openReady();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  await reload(page);
  await page.fill(field('/training/micro_batch_size'), '8');
  await page.waitForSelector('#verdict.no');
  expect(await page.textContent('footer')).toContain('offline copy');
  await page.goto(new URL('index.html', page.url()).href);
  await ready(page);
});

test('a new version waits until it is asked for, and then is there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'meshgauge-'));
  await cp(dist, folder, { recursive: true });
  const site = await serve(folder);
  onTestFinished(async () => {
    await site.close();
    await rm(folder, { recursive: true });
  });
  const { page } = await openReady('', { url: site.url });
  await page.evaluate(() => navigator.serviceWorker.ready);
  await reload(page); // now the copy answers

  const change = async (name: string, from: string | RegExp, to: string) => writeFile(join(folder, name), (await readFile(join(folder, name), 'utf8')).replace(from, to));
  await change('index.html', '<title>meshgauge</title>', '<title>meshgauge, next</title>');
  await change('sw.js', /const name = .*/, "const name = 'meshgauge-next';");
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await page.waitForSelector('footer button:has-text("Reload")');
  expect(await page.title()).toBe('meshgauge');
  await page.click('footer button:has-text("Reload")');
  await page.waitForFunction(() => document.title === 'meshgauge, next');
});

test('without storage of any kind everything works and is only forgotten', async () => {
  const { page, complaints } = await openReady('', { serviceWorkers: 'block', before: () => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
      Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError'); } });
    }
  } });
  const before = await page.textContent(verdictFigure);
  await page.fill(field('/training/micro_batch_size'), '2');
  await untilText(page, verdictFigure, before);
  await page.click('button[lang="zh-CN"]');
  await page.waitForSelector('html[lang="zh-CN"]');
  await page.click('.theme');
  expect(complaints).toEqual([]);
});

test('nothing moves while it loads', async () => {
  const { page } = await openReady();
  const moved = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0)));
        observer.observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(0), 200); // no entries, no call
      }),
  );
  expect(moved).toBeLessThan(0.001);
});

test.each([360, 768, 1280, 1600])('whatever the answer at %i px, verdict, charts and tabs stay where they are', async (width) => {
  const { page } = await openReady('', { viewport: { width, height: 800 } });
  const places = () => page.evaluate(() => ['#verdict', '.memory .chart', '.step .chart', '.tabs .bar'].map((part) => document.querySelector(part)!.getBoundingClientRect().top + scrollY));
  if (width < 1024) await page.click('.scenario button'); // on a tablet the inputs unfold over the charts' place
  const before = await places();
  // Uncertain, refused, fitting, and one whose states alone exceed the card.
  for (const [path, value] of [['/training/micro_batch_size', '2'], ['/training/global_batch_size', 'x'], ['/training/global_batch_size', '256'], ['/cluster/gpus', '32'], ['/parallelism/tensor_parallel_size', '1']] as const) {
    const old = await page.textContent('#verdict');
    await page.fill(field(path), value);
    await untilText(page, '#verdict', old);
    expect(await places(), `${path} ${value}`).toEqual(before);
  }
  expect(await page.textContent('.memory .head')).toContain('States alone need');
});

test('reports the time from a key stroke to the new figures', async () => {
  const { page } = await openReady();
  const times = await page.evaluate(async (selector) => {
    const input = document.querySelector<HTMLInputElement>(selector)!;
    const verdict = document.getElementById('verdict')!;
    const taken: number[] = [];
    for (let i = 0; i < 30; i++) {
      const changed = new Promise<void>((resolve) => new MutationObserver((_, seen) => (seen.disconnect(), resolve())).observe(verdict, { subtree: true, characterData: true, childList: true }));
      const start = performance.now();
      input.focus();
      input.value = String(4096 + 256 * (i % 2 ? i : -i));
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await changed;
      taken.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return taken.sort((a, b) => a - b);
  }, field('/training/sequence_length'));
  console.log(`key stroke to new figures: median ${times[15]!.toFixed(1)} ms, slowest ${times[29]!.toFixed(1)} ms`);
  expect(times).toHaveLength(30);
});
