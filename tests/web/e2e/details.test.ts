// Below the answer: the ledger that opens, the tabs, the textbook cases.
import { openReady, startSite, verdictFigure } from './support/site';

startSite();

test('a ledger line opens in place to formula, values, result and source', async () => {
  const { page } = await openReady();
  const button = page.locator('tr.line button').first();
  await button.click();
  expect(await button.getAttribute('aria-expanded')).toBe('true');
  const detail = await page.locator('tr.detail').first().textContent();
  expect(detail).toMatch(/[\d,]+ B = [\d.]+ GiB/);
  expect(detail).toContain('Source');
});

test('the ledger follows the chosen cell of the grid', async () => {
  const { page } = await openReady();
  await page.locator('td.chosen').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await page.textContent('#ledger-heading')).toContain('stage 1');
});

test('the device total of the ledger is the figure of the verdict', async () => {
  const { page } = await openReady();
  const device = Number((await page.locator('tr.total').last().locator('td.number').first().textContent())?.replace(',', ''));
  expect(device.toFixed(1)).toBe((await page.textContent(verdictFigure))?.replace(',', ''));
});

test('a segment of a bar opens its line', async () => {
  const { page } = await openReady();
  await page.locator('.memory .segment.optimizer').first().click();
  expect(await page.locator('tr.detail').count()).toBe(1);
});

test('exposed times of the traffic add up to the communication of the step', async () => {
  const { page } = await openReady('#v1;tab=communication');
  await page.waitForSelector('#panel-communication table');
  const exposed = (await page.locator('#panel-communication tr.sum td.strong').textContent())!;
  await page.click('#tab-step');
  const rows = await page.locator('#panel-step tbody tr').allTextContents();
  const milliseconds = (text: string) => {
    const [, value, unit] = /([\d,.]+)\s*(ms|s)/.exec(text)!;
    return Number(value!.replace(',', '')) * (unit === 's' ? 1000 : 1);
  };
  const parts = rows.filter((row) => row.includes('communication')).reduce((sum, row) => sum + milliseconds(row), 0);
  expect(Math.abs(parts / Number(exposed.replace(',', '')) - 1)).toBeLessThan(0.01);
});

test('a textbook case opens in the calculator', async () => {
  const { page } = await openReady('#v1;tab=learn');
  const before = await page.textContent(verdictFigure);
  await page.locator('#panel-learn summary').nth(2).click();
  await page.locator('#panel-learn details[open] button').click();
  await page.waitForFunction(([selector, old]) => document.querySelector(selector!)?.textContent !== old, [verdictFigure, before]);
});

test('tabs are links and move by arrow keys', async () => {
  const { page } = await openReady();
  await page.focus('#tab-memory');
  await page.keyboard.press('ArrowRight');
  expect(await page.getAttribute('#tab-step', 'aria-selected')).toBe('true');
  await page.waitForSelector('#panel-step table');
});
