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

test('a price is set from the run’s length, found by what it is called, and read as people write it', async () => {
  const { page } = await openReady();
  const price = field('/cluster/usd_per_gpu_hour');
  const tile = '#verdict .tile >> nth=2';
  await page.click(`${tile} >> button:has-text("set a price")`);
  await page.waitForFunction((where) => document.activeElement === document.querySelector(where), price);
  await page.keyboard.type('$2.10/h');
  await page.waitForFunction((where) => /\$[\d,]+/.test(document.querySelectorAll(where)[2]!.textContent!), '#verdict .tile');
  expect(await page.getAttribute(price, 'aria-invalid')).toBe('false');
  for (const words of ['cost', 'dollar', 'price']) {
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('/');
    await page.fill(input, words);
    expect(await page.textContent(`${options} >> nth=0`)).toContain('Price of a GPU hour');
    await page.keyboard.press('Escape');
  }
  await page.click('header button:has-text("中文")');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('/');
  await page.fill(input, '成本');
  expect(await page.textContent(`${options} >> nth=0`)).toContain('每卡时价格');
});

test('a claim typed into the search is checked', async () => {
  const { page } = await openReady('', { locale: 'zh-CN' });
  await page.keyboard.press('/');
  await page.fill(input, '128 张 A100 训练 65B 参数、1.4 万亿 token，21 天');
  expect(await page.textContent(`${options} >> nth=0`)).toContain('核对一个说法');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[aria-labelledby=claim-heading] .verdict.no');
  expect(await page.inputValue('[aria-labelledby=claim-heading] label:has-text("时间") input')).toBe('21 天');
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
