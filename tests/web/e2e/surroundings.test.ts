// Where the page lives: any width, no network after load, a strict policy, nothing that moves.
import { field, openReady, startSite } from './support/site';

startSite();

test.each([320, 360, 390, 640, 768, 1024, 1280, 1600, 2560])('at %i px nothing scrolls sideways', async (width) => {
  const { page } = await openReady('', { viewport: { width, height: 800 } });
  for (const tab of ['memory', 'step', 'communication', 'learn']) {
    await page.click(`#tab-${tab}`);
    await page.waitForSelector(`#panel-${tab} table, #panel-${tab} details`);
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(excess, tab).toBe(0);
  }
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

test('once loaded it asks the network for nothing', async () => {
  const { page, complaints } = await openReady();
  await page.waitForTimeout(1500);
  const asked: string[] = [];
  page.context().on('request', (request) => asked.push(request.url()));
  await page.fill(field('/training/micro_batch_size'), '2');
  for (const tab of ['step', 'communication', 'learn']) await page.click(`#tab-${tab}`);
  await page.click('button[lang="zh-CN"]');
  await page.waitForSelector('html[lang="zh-CN"]');
  await page.waitForTimeout(500);
  expect(asked).toEqual([]);
  expect(complaints).toEqual([]);
});

test('it loads without a network', async () => {
  const { page } = await openReady();
  await page.waitForFunction(() => navigator.serviceWorker.ready.then(() => true));
  await page.context().setOffline(true);
  await page.reload();
  await page.fill(field('/training/micro_batch_size'), '8');
  await page.waitForSelector('#verdict.no');
});

test('nothing moves while it loads or while one types', async () => {
  const { page } = await openReady();
  await page.fill(field('/training/micro_batch_size'), '2');
  await page.fill(field('/training/sequence_length'), '4096');
  await page.waitForTimeout(300);
  const moved = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(sum), 200);
      }),
  );
  expect(moved).toBeLessThan(0.001);
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
