// Text that comes in: pasted, dropped, from the clipboard, or ten megabytes of it.
import type { Page } from 'playwright-core';
import { drop, paste } from './support/files';
import { field, openReady, startSite, untilHash, untilValue, verdictFigure } from './support/site';

startSite();
const bar = 'aside .bar';

const config = {
  architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: 4096, intermediate_size: 11008, num_hidden_layers: 32,
  num_attention_heads: 32, num_key_value_heads: 32, vocab_size: 32000, max_position_embeddings: 4096, hidden_act: 'silu', tie_word_embeddings: false,
};

const untilSize = (page: Page) => page.waitForFunction(() => document.querySelector('.facts')?.textContent?.match(/6\.74\sB/));

test('a config.json pasted anywhere becomes the model, and one undo takes it back', async () => {
  const { page } = await openReady();
  await paste(page, JSON.stringify(config));
  await page.click(`${bar} button`);
  await untilSize(page);
  await untilHash(page, 'x=');
  await page.keyboard.press('Control+z');
  await untilValue(page, field('/model'), 'Llama 3.1 70B');
});

test('the shape beside a pasted model is its own, even while the layout does not suit it', async () => {
  const { page } = await openReady();
  await paste(page, JSON.stringify({ ...config, num_attention_heads: 28, num_key_value_heads: 4, hidden_size: 3584, num_hidden_layers: 28 }));
  await page.click(`${bar} button`);
  await page.waitForSelector('#verdict.invalid');
  expect(await page.textContent('.facts')).toBe('28 layers · hidden 3,584 · 28 heads, 4 KV');
  await page.click('#verdict .problems button');
  await page.waitForSelector('#verdict:not(.invalid)');
});

test('a scenario says what it sets, a link opens', async () => {
  const { page } = await openReady();
  await paste(page, JSON.stringify({ model: 'llama-2-7b', training: { tokens: 5e9 } }));
  await page.waitForSelector(`${bar} span:has-text("Model, Recipe")`);
  await page.keyboard.press('Escape');
  await page.waitForSelector(bar, { state: 'detached' });
  await paste(page, 'look: https://example.org/some/where/#v1;m=llama-2-7b;c=dgx-h100*8 thanks');
  await page.click(`${bar} button`);
  await untilValue(page, field('/cluster/gpus'), '8');
});

test('what is not recognised is quoted; nothing is covered', async () => {
  const { page } = await openReady();
  await paste(page, '\n  torch.OutOfMemoryError: CUDA out of memory.\nmore');
  await page.waitForSelector(`${bar} span:has-text("“torch.OutOfMemoryError: CUDA out of memory.”")`);
  await page.click('[aria-labelledby="model-heading"] .head .link'); // would fail under the bar
  await page.waitForSelector('#config-json');
});

test.each([
  ['text', () => 'x'.repeat(10e6)],
  ['lines', () => 'abc def\n'.repeat(1.25e6)],
  ['a link', () => `#v1;m=gpt2;x=${'A'.repeat(10e6)}`],
])('10 MB of %s are read beside the page', async (_, text) => {
  const { page } = await openReady();
  await paste(page, text());
  await page.waitForSelector(`${bar} span:has-text("Not recognised")`);
});

test('10 MB in a config.json leave a light model and a short link', async () => {
  const { page } = await openReady();
  const junk = Array.from({ length: 700_000 }, (_, i) => `token ${i}`);
  await paste(page, JSON.stringify({ ...config, junk }));
  await page.click(`${bar} button:has-text("Use it")`);
  await untilSize(page);
  await untilHash(page, 'x=');
  expect(page.url().length).toBeLessThan(2000);
});

test('a file dropped on the page is read', async () => {
  const { page } = await openReady();
  await drop(page, 'body', [{ name: 'config.json', text: JSON.stringify(config) }]);
  await page.click(`${bar} button`);
  await untilSize(page);
});

test('a phone has a button; a browser that keeps the clipboard to itself is said to', async () => {
  const { page } = await openReady('', { viewport: { width: 360, height: 740 }, permissions: [], before: () => {
    Object.defineProperty(navigator, 'clipboard', { value: { readText: () => Promise.reject(new Error('denied')) } });
  } });
  await page.click('header button:has-text("Paste")');
  await page.waitForSelector(`${bar} label:has-text("clipboard")`);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('paste-text');
  await page.fill('#paste-text', JSON.stringify({ model: 'llama-2-7b' }));
  await page.click(`${bar} button:has-text("Read it")`);
  await page.waitForSelector(`${bar} span:has-text("This is a scenario")`);
  await page.keyboard.press('Escape');
  await page.click('header button:has-text("Paste")');
  await paste(page, '', '#paste-text'); // nothing in it: nothing is read
  await paste(page, JSON.stringify(config), '#paste-text');
  await page.click(`${bar} button:has-text("Use it")`);
  await untilHash(page, 'x=');
});

test('the editor says in which line a config.json breaks off', async () => {
  const { page } = await openReady('', { locale: 'zh-CN' });
  const before = await page.textContent(verdictFigure);
  await page.click('[aria-labelledby="model-heading"] .head .link');
  await page.fill('#config-json', '{\n  "hidden_size": 4096,\n  oops\n}');
  await page.click('.editor > .link');
  expect(await page.textContent('#config-problem')).toBe('不是 JSON：第 3 行读不下去：“oops”');
  await page.fill('#config-json', '{ "hidden_size": ');
  await page.click('.editor > .link');
  expect(await page.textContent('#config-problem')).toBe('不是 JSON：缺少结尾。');
  expect(await page.textContent(verdictFigure)).toBe(before);
  await page.fill('#config-json', JSON.stringify(config));
  await page.click('.editor > .link');
  await page.waitForFunction(() => document.querySelector('.facts')?.textContent?.includes('67.4'));
});
