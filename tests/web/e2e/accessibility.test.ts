// Axe finds nothing: each tab, both languages, both themes, desk and phone.
import { tabs } from '$page/state/view.svelte';
import { violations } from './support/axe';
import { field, openReady, startSite } from './support/site';

startSite();

const looks = (['light', 'dark'] as const).flatMap((theme) => (['en-US', 'zh-CN'] as const).map((locale) => [theme, locale] as const));

test.each(looks)('every tab in %s, %s', async (colorScheme, locale) => {
  const { page } = await openReady('', { colorScheme, locale });
  for (const tab of tabs) {
    await page.click(`#tab-${tab}`);
    if (tab === 'measured') await page.click(`#panel-measured ul button >> nth=-1`); // the example
    await page.waitForSelector(`#panel-${tab} table, #panel-${tab} details, #panel-${tab} .presets, #panel-${tab} pre`);
    if (tab === 'memory') await page.locator('tr.line button').first().click();
    if (tab === 'learn') await page.locator('#panel-learn summary').first().click();
    expect(await violations(page), tab).toEqual([]);
  }
});

test.each(looks)('wrong input, open editors, a misfit in %s, %s', async (colorScheme, locale) => {
  const { page } = await openReady('', { colorScheme, locale });
  await page.fill(field('/training/micro_batch_size'), '8');
  await page.waitForSelector('#verdict.no');
  await page.click('[aria-labelledby="model-heading"] .head .link');
  await page.click('[aria-labelledby="cluster-heading"] .head .link');
  expect(await violations(page)).toEqual([]);
  await page.fill(field('/parallelism/tensor_parallel_size'), 'six');
  await page.waitForSelector('#verdict.invalid');
  expect(await violations(page)).toEqual([]);
});

test('the sheet of inputs on a phone', async () => {
  const { page } = await openReady('', { viewport: { width: 360, height: 740 } });
  expect(await violations(page)).toEqual([]);
  await page.click('.scenario button');
  expect(await violations(page)).toEqual([]);
});

test('the first Tab leads to the verdict', async () => {
  const { page } = await openReady();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to verdict');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('verdict');
});
