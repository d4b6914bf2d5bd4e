// The verdict tile near the limit and on the narrowest phones: one distribution, and every word of it whole.
import { load } from 'meshgauge';
import type { Estimate, Scenario } from '$page/core/types';
import { decode } from '$page/state/link';
import { field, openReady, startSite, untilTextIs, verdictFigure, verdictWord } from './support/site';

startSite();
const core = await load();
const estimate = (scenario: Scenario) => JSON.parse(core.apiText(JSON.stringify({ command: 'estimate', scenario }))) as Estimate;
/** Close to its card, whose three figures are three digits long. */
const wide = '#v1;m=llama-3.1-70b;c=gpu:b300*8;t=e:megatron,s8192,gb64,mb2;p=tp8';

test.each([320, 360, 390].flatMap((width) => (['en-US', 'zh-CN'] as const).map((locale) => [width, locale] as const)))('nothing of the verdict is cut at %i px in %s, whatever it says', async (width, locale) => {
  const { page } = await openReady(wide, { viewport: { width, height: 740 }, locale });
  const { memory } = estimate((await decode(wide))!.scenario!);
  const seen = new Set<string>();
  for (const share of [0.6, 1, 1.4]) {
    await page.click('.scenario button');
    const edit = page.locator('[aria-labelledby="cluster-heading"] .head .link');
    if ((await edit.getAttribute('aria-expanded')) === 'false') await edit.click();
    await page.fill(field('/cluster/memory_bytes'), `${Math.round((memory.needed_bytes * share) / 2 ** 30)} GiB`);
    await page.locator(field('/cluster/memory_bytes')).blur();
    await page.waitForFunction((before) => before !== document.querySelector('#verdict')!.className, [...seen].at(-1) ?? '');
    const cut = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('#verdict .main, .line')]
          .filter((element) => element.checkVisibility())
          .flatMap((element) => {
            const { left, right } = element.getBoundingClientRect();
            const range = document.createRange();
            range.selectNodeContents(element);
            const inside = [...range.getClientRects()].every((box) => box.width === 0 || (box.left >= left && box.right <= right + 0.5));
            return inside ? [] : [element.textContent];
          }),
      );
    expect(await cut()).toEqual([]); // the line over the sheet
    await page.click('.sheet-head .link');
    expect(await cut()).toEqual([]);
    seen.add((await page.getAttribute('#verdict', 'class'))!);
  }
  expect(seen.size).toBe(3);
});

test('near the limit figure, range and chance say the same, and what the allocator keeps is no need', async () => {
  const { page } = await openReady();
  const edit = page.locator('[aria-labelledby="cluster-heading"] .head .link');
  await edit.click();
  const before = await page.textContent(verdictFigure);
  const gib = Math.round(Number(before));
  await page.fill(field('/cluster/memory_bytes'), `${gib} GiB`);
  await page.waitForSelector('#verdict.unsure');
  expect(await page.textContent(verdictWord)).toContain('Uncertain');
  const [low, high] = (await page.textContent(verdictFigure))!.split('–').map(Number);
  expect(low).toBeLessThan(gib);
  expect(high).toBeGreaterThan(gib);
  // Just beyond the range it fits, the figure is that of before, and no longer that of a full card.
  await page.fill(field('/cluster/memory_bytes'), `${(high! + 0.1).toFixed(1)} GiB`);
  await page.waitForSelector('#verdict.fits');
  await untilTextIs(page, verdictFigure, before!);
  await untilTextIs(page, '.values .binding', `${before} GiB`);
});
