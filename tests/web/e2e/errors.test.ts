// An error message or a log of NCCL: recognised where it is pasted or dropped, explained in Learn, typed there as well.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { violations } from './support/axe';
import { drop, paste } from './support/files';
import { openReady, startSite, untilTextIs } from './support/site';

startSite();
const bar = 'aside .bar';
const report = '[aria-labelledby="error-heading"]';
const ncclLog = readFileSync(fileURLToPath(new URL('../../data/nccl/peer-module.txt', import.meta.url)), 'utf8');
/** LlamaFactory issue 260: the fp32 flat copy of a 7B model's parameters. */
const message =
  'Loading llama-7b-hf\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 26.08 GiB (GPU 0; 79.35 GiB total capacity; 52.16 GiB already allocated; 25.98 GiB free; 52.17 GiB reserved in total by PyTorch)';

test('a pasted out-of-memory message says which tensor it was', async () => {
  const { page } = await openReady();
  await paste(page, message);
  await page.waitForSelector(`${bar} span:has-text("out-of-memory message: 26.1 GiB")`);
  await page.click(`${bar} button:has-text("Explain")`);
  await page.waitForSelector(`${report} [data-lead]`);
  expect(await page.textContent(`${report} [data-lead]`)).toMatch(/fp32 copy of all parameters of a model of 7\sB: 7\sB × 4 bytes.*optimizer starts/);
  expect(await page.textContent(`${report} .held`)).toMatch(/Tensors\s*52\.2\sGiB/);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('error-heading');
  expect(await violations(page)).toEqual([]);
});

test('a message that names no model says what its size alone says, and the model is named on the spot', async () => {
  const { page } = await openReady();
  await paste(page, 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 26.08 GiB. GPU 0 has a total capacity of 79.35 GiB of which 9.98 GiB is free.');
  await page.click(`${bar} button:has-text("Explain")`);
  await page.waitForSelector(`${report} [data-lead]`);
  expect(await page.textContent(`${report} [data-lead]`)).toMatch(/If the model has about 7\sB parameters: an fp32 copy of all of them, 7\sB × 4 bytes/);
  expect(await page.textContent(`${report} table`)).toContain('7,000,000,000');
  expect(await page.textContent(`${report} .held`)).toMatch(/does not say by what\s*69.4\sGiB/);
  await page.fill('#error-model', 'baichuan2 7b');
  await page.press('#error-model', 'Enter');
  await page.waitForFunction((where) => document.querySelector(`${where} [data-lead]`)?.textContent?.startsWith('As large as an fp32 copy'), report);
  expect(await violations(page)).toEqual([]);
  await page.fill('#error-model', 'present');
  await page.press('#error-model', 'Enter');
  await page.waitForSelector(`${report} p:has-text("No tensor of Llama 3.1 70B has this size")`);
});

test('of the present scenario the tensor is named with its formula', async () => {
  const { page } = await openReady('#v1;m=llama-2-7b;c=dgx-a100-80gb*2;p=none;tab=learn');
  await page.fill('#error-text', 'CUDA out of memory. Tried to allocate 25.10 GiB');
  await page.waitForSelector(`${report} caption:has-text("present scenario")`);
  expect(await page.textContent(`${report} tbody tr`)).toContain('6,738,415,616');
});

test('a dropped log of NCCL says what is wrong, what to set and what comes next, in Chinese around it', async () => {
  const { page } = await openReady('', { locale: 'zh-CN' });
  await drop(page, 'body', [{ name: 'rank.log', text: ncclLog }]);
  await page.click(`${bar} button:has-text("解读")`);
  await page.waitForSelector(`${report} .findings li`);
  expect(await page.textContent(`${report} .severity`)).toBe('变慢');
  expect(await page.textContent(`${report} .findings`)).toContain('NCCL_IB_HCA==mlx5_0,mlx5_1');
  expect(await page.textContent(`${report} ol[lang="en"]`)).toContain('lsmod | grep nvidia_peermem');
  expect(await violations(page)).toEqual([]);
});

test('other text is said to be unknown, an emptied field says nothing', async () => {
  const { page } = await openReady('#v1;tab=learn');
  await page.fill('#error-text', 'nothing of the kind');
  await untilTextIs(page, `${report} [role="status"] p`, 'Not recognised. Looked for: PyTorch’s “Tried to allocate 2.00 GiB”, and lines of NCCL.');
  await page.fill('#error-text', '');
  await page.waitForSelector(`${report} [role="status"] p`, { state: 'detached' });
});
