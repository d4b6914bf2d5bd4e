// What the page remembers and shares: the link, the language, the last scenario; undo; pasted text.
import { field, openReady, startSite, verdictFigure } from './support/site';

startSite();
const micro = '/training/micro_batch_size';
const settled = (page: { waitForFunction: (code: () => boolean) => Promise<unknown> }) => page.waitForFunction(() => location.hash.includes('mb2'));

test('a reload gives scenario, tab and figures back', async () => {
  const { page } = await openReady();
  await page.fill(field(micro), '2');
  await page.click('#tab-step');
  await settled(page);
  const before = await page.textContent(verdictFigure);
  await page.reload({ waitUntil: 'networkidle' });
  expect(await page.inputValue(field(micro))).toBe('2');
  expect(await page.textContent(verdictFigure)).toBe(before);
  expect(await page.getAttribute('#tab-step', 'aria-selected')).toBe('true');
});

test('without a link the last scenario comes back', async () => {
  const { page } = await openReady();
  await page.fill(field(micro), '2');
  await settled(page);
  await page.goto('about:blank');
  await page.goBack();
  const url = page.url().split('#')[0]!;
  await page.goto('about:blank');
  await page.goto(url, { waitUntil: 'networkidle' });
  expect(await page.inputValue(field(micro))).toBe('2');
});

test('the default scenario needs no fragment', async () => {
  const { page } = await openReady();
  await page.waitForTimeout(500);
  expect(new URL(page.url()).hash).toBe('');
});

test('the language switches in place and is kept', async () => {
  const { page } = await openReady();
  const figure = await page.textContent(verdictFigure);
  await page.click('button[lang="zh-CN"]');
  await page.waitForSelector('html[lang="zh-CN"]');
  expect(await page.textContent('#verdict')).toContain('装得下');
  expect(await page.textContent(verdictFigure)).toBe(figure);
  await page.reload({ waitUntil: 'networkidle' });
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
  await page.waitForFunction(([selector, old]) => document.querySelector(selector!)?.textContent !== old, [verdictFigure, before]);
  await page.locator(field('/training/optimizer')).blur();
  await page.keyboard.press('Control+z');
  await page.waitForFunction(([selector, old]) => document.querySelector(selector!)?.textContent === old, [verdictFigure, before]);
});

test('a config.json pasted anywhere becomes the model', async () => {
  const { page } = await openReady();
  const config = {
    architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: 4096, intermediate_size: 11008, num_hidden_layers: 32,
    num_attention_heads: 32, num_key_value_heads: 32, vocab_size: 32000, max_position_embeddings: 4096, hidden_act: 'silu', tie_word_embeddings: false,
  };
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, JSON.stringify(config));
  await page.click('.bar button');
  await page.waitForFunction(() => document.querySelector('.facts')?.textContent?.match(/6\.74\sB/));
  await page.waitForFunction(() => location.hash.includes('x='));
});
