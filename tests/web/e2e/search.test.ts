// Search by "/": fields wherever they are folded away, models and machines, tabs, tools and actions.
import { violations } from './support/axe';
import { field, openReady, startSite, untilText, untilTextIs, verdictFigure } from './support/site';

startSite();
const input = 'dialog[open] input[role=combobox]';
const options = 'dialog[open] [role=option]';

test('a model is found by its size, a machine by its GPU, and both are set', async () => {
  const { page, complaints } = await openReady();
  const before = await page.textContent(verdictFigure);
  await page.keyboard.press('/');
  await page.fill(input, '405b llama');
  await page.keyboard.press('Enter');
  await untilText(page, verdictFigure, before);
  expect(await page.inputValue(field('/model'))).toContain('405B');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('/');
  await page.fill(input, 'dgx b200');
  expect(await page.textContent(`${options} >> nth=0`)).toContain('DGX B200');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => (document.querySelector('[id="field-/cluster/system"]') as HTMLInputElement).value.includes('B200'));
  expect(complaints).toEqual([]);
});

test('a field that is folded away is opened and holds the focus', async () => {
  const { page } = await openReady();
  for (const [words, path] of [['oversubscription', '/cluster/oversubscription'], ['tp', '/parallelism/tensor_parallel_size'], ['grouped gemm deterministic', '']] as const) {
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('/');
    await page.fill(input, words);
    if (path === '') {
      await page.waitForSelector('dialog[open] p:has-text("Nothing found.")');
      await page.keyboard.press('Escape');
      continue;
    }
    await page.locator(options, { hasText: 'field' }).first().click();
    await page.waitForFunction((id) => document.activeElement?.id === id, `field-${path}`);
  }
});

test('the tools are found by their words, in both languages, and axe finds nothing', async () => {
  const { page } = await openReady();
  await page.click('header button.search');
  await page.fill(input, 'oom');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'error-heading');
  await page.keyboard.press('/');
  await page.fill(input, '中文');
  await page.keyboard.press('Enter');
  await untilTextIs(page, '#claim-heading', '核对一个说法');
  await page.keyboard.press('/');
  await page.fill(input, '说法');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'claim-heading');
});

test('Escape gives the focus back, and in a field "/" is a letter', async () => {
  const { page } = await openReady();
  await page.focus('#tab-memory');
  await page.keyboard.press('/');
  await page.waitForSelector(input);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.id === 'tab-memory' && !document.querySelector('dialog[open]'));
  await page.focus(field('/cluster/gpus'));
  await page.keyboard.press('/');
  expect(await page.locator(input).count()).toBe(0);
});
