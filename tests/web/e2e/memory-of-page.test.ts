// What the page remembers and shares: the link, the language, the last scenario; undo; Back.
import { field, open, openReady, ready, reload, startSite, theSite, twoA100, untilHash, untilText, untilTextIs, untilValue, verdictFigure, verdictOn } from './support/site';

startSite();
const micro = '/training/micro_batch_size';
const link = '#v1;m=llama-2-7b;c=dgx-a100-80gb*2;t=e:fsdp2';

test('a reload gives scenario, tab and figures back', async () => {
  const { page } = await openReady();
  await page.fill(field(micro), '2');
  await page.click('#tab-step');
  await untilHash(page, 'mb2');
  await untilHash(page, 'tab=step');
  const before = await page.textContent(verdictFigure);
  await reload(page);
  expect(await page.inputValue(field(micro))).toBe('2');
  expect(await page.textContent(verdictFigure)).toBe(before);
  expect(await page.getAttribute('#tab-step', 'aria-selected')).toBe('true');
});

test('without a link the last scenario comes back', async () => {
  const { page } = await openReady();
  await page.fill(field(micro), '2');
  await untilHash(page, 'mb2');
  await page.goto('about:blank');
  await page.goto(theSite().url);
  await ready(page);
  expect(await page.inputValue(field(micro))).toBe('2');
});

test('a link opens in a fresh profile as it was made, and stays', async () => {
  const { page } = await openReady(`${link};open=0.loss.mlp`);
  expect(await page.inputValue(field('/model'))).toBe('Llama 2 7B');
  expect(await page.inputValue(field('/cluster/gpus'))).toBe('2');
  expect(await page.textContent('#ledger-heading')).toContain('loss');
  expect(await page.locator('tr.detail').count()).toBe(1);
  await reload(page);
  expect(await page.inputValue(field('/model'))).toBe('Llama 2 7B');
  expect(await page.locator('tr.detail').count()).toBe(1);
});

test('the default scenario needs no fragment', async () => {
  const { page } = await openReady();
  await page.waitForFunction(() => localStorage.getItem('meshgauge.scenario') !== null); // written together
  expect(new URL(page.url()).hash).toBe('');
});

test('a link put into the address of the open page opens, and Back returns', async () => {
  const { page } = await openReady();
  await page.evaluate((hash) => (location.hash = hash), link);
  await untilValue(page, field('/model'), 'Llama 2 7B');
  await untilTextIs(page, verdictFigure, (await verdictOn(twoA100)).figure);
  await page.goBack();
  await untilValue(page, field('/model'), 'Llama 3.1 70B');
  await page.goForward();
  await untilValue(page, field('/model'), 'Llama 2 7B');
});

test('a textbook case opens in the calculator; Back and undo return', async () => {
  const { page } = await openReady('#v1;tab=learn');
  const before = await page.textContent(verdictFigure);
  const openCase = async () => {
    await page.locator('#panel-learn summary').nth(8).click();
    await page.locator('#panel-learn details[open] button').click();
    await untilText(page, verdictFigure, before);
    await untilHash(page, 'at:unfused');
  };
  await openCase();
  await page.goBack();
  await untilTextIs(page, verdictFigure, before);
  expect(await page.getAttribute('#tab-learn', 'aria-selected')).toBe('true');
  await page.locator('#panel-learn details[open] button').click();
  await untilText(page, verdictFigure, before);
  await page.keyboard.press('Control+z');
  await untilTextIs(page, verdictFigure, before);
});

test.each([
  ['#v1;m=%E0%A4%A', '%E0%A4%A'],
  ['#v1;m=llama-2-7b;c=dgx-h100*8;open=%zz', 'open=%zz'],
  ['#v1;m=llama-2-7b;c=dgx-h100*8;t=warp9,e:ddp;zz=1', 'warp9'],
  ['#v2;m=llama-2-7b;c=dgx-h100*8', 'v2'],
  ['#v1;x=garbage!!', 'x'],
])('%s opens as far as it is known, and says what is not', async (hash, unknown) => {
  const { page, complaints } = await openReady(hash);
  expect(await page.textContent('aside')).toContain(unknown);
  await page.fill(field(micro), '2');
  await untilHash(page, 'mb2');
  expect(complaints).toEqual([]);
});

test.each(['#v1;open=99.backward.x;tab=plan', '#v1;open=0.nophase.x', '#elsewhere'])('%s shows the default', async (hash) => {
  const { page, complaints } = await openReady(hash);
  expect(await page.textContent('#ledger-heading')).toBe('Ledger: stage 0, backward');
  expect(complaints).toEqual([]);
});

test('a link with values that nothing has shows each problem and whose figures these are', async () => {
  const { page } = await openReady('#v1;m=nope;c=zzz*-4;p=tp-1');
  expect(await page.locator('#verdict .problems a').allTextContents()).toHaveLength(4);
  expect(await page.textContent('#verdict .scope')).toBe('for the example');
});

test.each(['5', '"text"', '[1]', '{"model": 3, "cluster": 4}', '{'])('a damaged memory (%s) does not stop the page', async (kept) => {
  const { page, complaints } = await open();
  await page.evaluate((text) => localStorage.setItem('meshgauge.scenario', text), kept);
  await reload(page);
  await page.locator(field('/model')).waitFor();
  expect(complaints).toEqual([]);
});

test('the language switches in place and is kept', async () => {
  const { page } = await openReady();
  const figure = await page.textContent(verdictFigure);
  await page.click('button[lang="zh-CN"]');
  await page.waitForSelector('html[lang="zh-CN"]');
  expect(await page.textContent('#verdict')).toContain('装得下');
  expect(await page.textContent(verdictFigure)).toBe(figure);
  await reload(page);
  expect(await page.getAttribute('html', 'lang')).toBe('zh-CN');
});

test('a Chinese browser is met in Chinese', async () => {
  const { page } = await openReady('', { locale: 'zh-CN' });
  expect(await page.getAttribute('html', 'lang')).toBe('zh-CN');
});

test('Ctrl+Z takes a change back', async () => {
  const { page } = await openReady();
  const before = await page.textContent(verdictFigure);
  await page.selectOption(field('/training/optimizer'), 'sgd');
  await untilText(page, verdictFigure, before);
  await page.locator(field('/training/optimizer')).blur();
  await page.keyboard.press('Control+z');
  await untilTextIs(page, verdictFigure, before);
});
