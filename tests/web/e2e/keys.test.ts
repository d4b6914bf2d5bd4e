// Single keys act outside fields, are listed, and can be turned off.
import type { Page } from 'playwright-core';
import { violations } from './support/axe';
import { field, openReady, reload, startSite } from './support/site';

startSite();
const chosen = (page: Page) => page.getAttribute('[role="tab"][aria-selected="true"]', 'id');
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

test('keys lead to tabs and fields, and are letters inside a field', async () => {
  const { page } = await openReady();
  await page.keyboard.press('4');
  expect(await chosen(page)).toBe('tab-plan');
  await page.keyboard.press('p');
  expect(await chosen(page)).toBe('tab-compare');
  await page.keyboard.press('g');
  expect(await focused(page)).toBe('field-/cluster/gpus');
  await page.keyboard.press('8');
  expect(await chosen(page)).toBe('tab-compare');
  expect(await page.inputValue(field('/cluster/gpus'))).toBe('8');
});

test('the list opens by ?, and turns the keys off for good', async () => {
  const { page } = await openReady();
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  expect(await violations(page)).toEqual([]);
  await page.click('dialog input[type="checkbox"]');
  await page.keyboard.press('Escape');
  await reload(page);
  await page.keyboard.press('4');
  await page.keyboard.press('?');
  expect(await chosen(page)).toBe('tab-memory');
  expect(await page.isVisible('dialog')).toBe(false);
  await page.click('footer button:has-text("Keyboard shortcuts")');
  expect(await page.isChecked('dialog input[type="checkbox"]')).toBe(false);
});
