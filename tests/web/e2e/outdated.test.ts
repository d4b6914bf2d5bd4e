// While the input is wrong, lists of the last valid one stay where they are, say so, and change nothing.
import { violations } from './support/axe';
import { field, openReady, startSite } from './support/site';

startSite();
const tensor = '/parallelism/tensor_parallel_size';

/** Tab, what it shows once it is answered, and the buttons that would change the inputs. */
const lists = [
  ['memory', '.advice li', '.advice li button'],
  ['plan', '#panel-plan .first', '#panel-plan tbody button'],
  ['learn', '#panel-learn li.lit', '#panel-learn [aria-labelledby="tree-heading"] li button'],
] as const;

test.each(lists)('%s: kept, marked, dimmed, without effect until the input is right', async (tab, answered, actions) => {
  const { page } = await openReady(`#v1;tab=${tab}`);
  await page.waitForSelector(answered);
  const list = page.locator(answered).first();
  const [text, place, link] = [await list.textContent(), await list.boundingBox(), page.url()];
  const colour = () => list.evaluate((element) => getComputedStyle(element).color);
  const before = await colour();
  expect(await page.locator(actions).count()).toBeGreaterThan(0);
  await page.fill(field(tensor), 'six');
  await page.waitForSelector('#verdict.invalid');
  await page.waitForFunction((of) => document.querySelector(of)!.closest('.outdated') !== null, answered);
  expect(await list.textContent()).toBe(text);
  expect(await list.boundingBox()).toEqual(place);
  expect(await colour()).not.toBe(before);
  expect(await page.locator(`${actions}:not([disabled])`).count()).toBe(0);
  const mark = tab === 'memory' ? '#suggestions-heading small' : tab === 'plan' ? '#panel-plan .state small' : '#tree-heading small';
  expect(await page.textContent(mark)).toMatch(/for the (last valid input|example)/);
  // A pointer on it shows nothing in the tiles either.
  await list.hover();
  expect(await page.locator('#verdict .preview').count()).toBe(0);
  expect(await page.inputValue(field(tensor))).toBe('six');
  await page.fill(field(tensor), '8');
  await page.waitForSelector('#verdict:not(.invalid)');
  await page.waitForFunction((of) => [...document.querySelectorAll<HTMLButtonElement>(of)].every(({ disabled }) => !disabled), actions);
  expect(await page.locator('.outdated').count()).toBe(0);
  await page.waitForURL(link);
});

test('a comparison of the last valid input is marked, and a wrong one is not pinned', async () => {
  const { page } = await openReady('#v1;tab=compare');
  await page.click('.presets button >> nth=1');
  await page.waitForSelector('#compare-memory-heading');
  const rows = await page.locator('#panel-compare tbody').first().textContent();
  await page.fill(field(tensor), 'six');
  await page.waitForSelector('#compare-heading small');
  expect(await page.locator('#panel-compare tbody').first().textContent()).toBe(rows);
  expect(await page.locator('#panel-compare .head button').first().isDisabled()).toBe(true);
  await page.locator(field(tensor)).blur();
  await page.keyboard.press('p');
  expect(await page.locator('#panel-compare tbody').first().textContent()).toBe(rows);
  expect(await violations(page)).toEqual([]);
});
