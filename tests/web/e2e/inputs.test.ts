// The inputs as a newcomer meets them: search, nonsense, proposals, every field of the core within reach.
import { load } from 'meshgauge';
import type { Page } from 'playwright-core';
import type { Describe } from '$page/core/types';
import { field, issue, openReady, reload, startSite, twoA100, untilHash, untilText, untilTextIs, untilValue, verdictFigure, verdictOn, verdictWord } from './support/site';

startSite();
const gpus = '/cluster/gpus';
const tensor = '/parallelism/tensor_parallel_size';
const choose = async (page: Page, path: string, search: string) => {
  await page.click(field(path));
  await page.keyboard.type(search);
  await page.keyboard.press('Enter');
};

test('Llama-2-7B on two A100 with FSDP: a search, two choices, one proposal', async () => {
  const { page } = await openReady();
  await choose(page, '/model', 'llama 2 7b');
  await untilValue(page, field('/model'), 'Llama 2 7B');
  await choose(page, '/cluster/system', 'dgx a100 8 × 80');
  await page.fill(field(gpus), '2');
  await page.selectOption(field('/training/engine'), 'fsdp2');
  await page.waitForSelector('#verdict.invalid');
  const proposal = page.locator('#verdict .problems button');
  await proposal.waitFor();
  expect(await proposal.textContent()).toBe('Set TP 1, PP 1, SP off, ZeRO stage 3');
  await proposal.click();
  await page.click('form button:has-text("Use 4,096")');
  const { word, figure } = await verdictOn({ ...twoA100, training: { ...twoA100.training, micro_batch_size: 1, global_batch_size: 128 } });
  await untilTextIs(page, verdictFigure, figure);
  expect(await page.textContent(verdictWord)).toContain(word);
});

test('fewer GPUs propose a shorter pipeline where the arithmetic stands', async () => {
  const { page } = await openReady();
  await page.fill(field(gpus), '16');
  await page.click('.identity button:has-text("Set PP 2")');
  await page.waitForSelector('#verdict:not(.invalid)');
  expect(await page.inputValue(field(gpus))).toBe('16');
  expect(await page.textContent('.identity')).toContain('8 × 2 × 1 × 1 = 16 GPU');
});

test('arrows preview, Escape restores all of it, and what is typed next is a new search', async () => {
  const { page } = await openReady('#v1;m=llama-3.1-70b;c=dgx-h100*64,mem60e9;p=tp8,pp4;t=e:megatron');
  const before = await page.textContent('#verdict .amount');
  await page.click(field('/cluster/system'));
  await page.keyboard.type('a100');
  await page.keyboard.press('ArrowDown');
  await untilText(page, '#verdict .amount', before);
  await page.keyboard.press('Escape');
  await untilTextIs(page, '#verdict .amount', before);
  expect(await page.inputValue(field('/cluster/system'))).toBe('DGX H100');
  await page.keyboard.type('h200');
  await page.keyboard.press('Tab');
  await untilValue(page, field('/cluster/system'), 'DGX H200');
});

test('the search can be emptied', async () => {
  const { page } = await openReady();
  await page.click(field('/model'));
  await page.keyboard.press('Backspace');
  expect(await page.inputValue(field('/model'))).toBe('');
  await page.locator(field('/model')).blur();
  await untilValue(page, field('/model'), 'Llama 3.1 70B');
});

const typed = [gpus, tensor, '/parallelism/data_parallel_size', '/training/sequence_length', '/training/micro_batch_size', '/training/global_batch_size', '/training/tokens'];
const whole = typed.slice(0, -1);

test.each(typed)('nonsense in %s is said there, and leaves the rest readable', async (path) => {
  const { page, complaints } = await openReady();
  const figure = await page.textContent(verdictFigure);
  for (const text of ['abc', '-1', '1e300', ...(whole.includes(path) ? ['8.5', '0', '8 8'] : [])]) {
    await page.fill(field(path), text);
    await page.waitForSelector('#verdict.invalid');
    await page.waitForSelector(issue(path));
    expect(await page.inputValue(field(path)), text).toBe(text);
    expect(await page.textContent(verdictFigure), text).toBe(figure);
    const form = await page.innerText('form.inputs');
    expect(form, text).not.toMatch(/NaN|Infinity|undefined|\d{16}|(?:,\d{3}){6}/);
    const excess = await page.evaluate(() => document.querySelector('form.inputs')!.scrollWidth - document.querySelector('form.inputs')!.clientWidth);
    expect(excess, text).toBeLessThanOrEqual(0);
  }
  await page.fill(field(path), '');
  await page.waitForSelector(issue(path), { state: 'detached' });
  expect(await page.getAttribute(field(path), 'placeholder')).not.toBe('');
  expect(complaints).toEqual([]);
});

test('an empty field takes the default at once and shows it', async () => {
  const { page } = await openReady();
  await page.fill(field('/training/sequence_length'), '');
  await page.waitForFunction((id) => (document.querySelector(id) as HTMLInputElement).placeholder === '4,096', field('/training/sequence_length'));
  await page.locator(field('/training/sequence_length')).blur();
  expect(await page.inputValue(field('/training/sequence_length'))).toBe('4,096');
});

test('full-width digits are digits', async () => {
  const { page } = await openReady('', { locale: 'zh-CN' });
  await page.fill(field(gpus), '１２８');
  await page.locator(field(gpus)).blur();
  await untilValue(page, field(gpus), '128');
  await page.waitForSelector('#verdict:not(.invalid)');
});

test('each problem is a link to its field', async () => {
  const { page } = await openReady();
  await page.fill(field('/training/global_batch_size'), 'abc');
  await page.click('#verdict .problems a');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('field-/training/global_batch_size');
});

test('Alt+Backspace gives the default back, in fields and lists', async () => {
  const { page } = await openReady();
  await page.focus(field(tensor));
  await page.keyboard.press('Alt+Backspace');
  await page.locator(field(tensor)).blur();
  await untilValue(page, field(tensor), '1');
  await page.selectOption(field('/training/optimizer'), 'sgd');
  await page.focus(field('/training/optimizer'));
  await page.keyboard.press('Alt+Backspace');
  await untilValue(page, field('/training/optimizer'), 'adamw');
});

test('every field that the core describes can be reached', async () => {
  const { fields } = JSON.parse((await load()).apiText('{"command":"describe"}')) as Describe;
  const { page } = await openReady('#v1;m=mixtral-8x7b;c=dgx-h100*16;p=pp2,vpp2,sch:interleaved;t=e:megatron,prec:fp8,ft:qlora');
  await page.click('[aria-labelledby="cluster-heading"] .head .link');
  for (const summary of await page.locator('form summary').all()) await summary.click();
  const reached = async () => page.evaluate(() => [...document.querySelectorAll('form.inputs [id^="field-/"]')].map(({ id }) => id.slice('field-'.length)));
  const found = new Set(await reached());
  for (const kind of ['selective', 'full']) {
    await page.click(`form label:has-text("${kind}")`);
    await page.waitForSelector(kind === 'full' ? field('/training/recompute/method') : field('/training/recompute/modules'));
    for (const path of await reached()) found.add(path);
  }
  // A GPU is chosen where a system is; the version of the format is no input.
  const elsewhere = ['/schema_version', '/cluster/gpu'];
  expect(fields.map(({ path }) => path).filter((path) => !found.has(path) && !elsewhere.includes(path))).toEqual([]);
});

test('a field that cannot matter is not shown until it does', async () => {
  const { page } = await openReady();
  expect(await page.locator(field('/training/lora_rank')).count()).toBe(0);
  expect(await page.locator(field('/training/moe_dispatcher')).count()).toBe(0);
  await page.selectOption(field('/training/peft'), 'lora');
  await page.waitForSelector(field('/training/lora_rank'));
  await page.waitForSelector(field('/training/lora_targets'));
  expect(await page.locator(field('/training/double_quantisation')).count()).toBe(0);
});

test('the version of an engine is text, not a number', async () => {
  const { page } = await openReady();
  for (const summary of await page.locator('form summary').all()) await summary.click();
  await page.fill(field('/training/engine_version'), '0.12');
  await page.waitForFunction(() => location.hash.includes('v:0.12'));
  expect(await page.locator(issue('/training/engine_version')).count()).toBe(0);
  await page.waitForSelector('#verdict:not(.invalid)');
});

test('a model is changed by its numbers, and says what differs from the catalog', async () => {
  const { page, complaints } = await openReady();
  await page.locator('[aria-labelledby=model-heading] .head button').click();
  const layers = '.shape label:has-text("Layers") input';
  await page.waitForSelector(layers);
  expect(await page.inputValue(layers)).toBe('80');
  const figure = await page.textContent(verdictFigure);
  await page.fill(layers, '40');
  await page.press(layers, 'Tab');
  await untilText(page, verdictFigure, figure);
  expect(await page.inputValue(field('/model'))).toBe('Llama 3.1 70B *');
  await page.waitForSelector('.shape button:has-text("catalog: 80")');
  await untilHash(page, ';x=');
  await reload(page);
  expect(await page.inputValue(field('/model'))).toBe('Llama 3.1 70B *');
  await page.locator('[aria-labelledby=model-heading] .head button').click();
  await page.click('.shape button:has-text("catalog: 80")');
  expect(complaints).toEqual([]);
});

test('a machine is changed in the units that people write', async () => {
  const { page } = await openReady();
  await page.locator('[aria-labelledby=cluster-heading] .head button').click();
  for (const [path, text, token] of [
    ['/cluster/memory_bytes', '40GB', 'mem4e10'],
    ['/cluster/inter_node_bytes_per_second', '400Gb/s', 'xbw5e10'],
    ['/cluster/intra_node_bytes_per_second', '600 GB/s bidir', 'ibw3e11'],
  ] as const) {
    await page.fill(field(path), text);
    await untilHash(page, token);
  }
  await page.fill(field('/training/tokens'), '1.4T tokens');
  await untilHash(page, 'tok1.4e12');
  expect(await page.textContent('.overrides .facts')).toContain('Source');
});

test('waits are shown and read with their unit', async () => {
  const { page } = await openReady();
  const latency = field('/cluster/inter_node_latency_seconds');
  const restart = field('/run/restart_seconds');
  await page.click('[aria-labelledby="cluster-heading"] .head .link');
  const leave = () => page.evaluate(() => (document.activeElement as HTMLElement).blur());
  for (const [typed, shown] of [['5 us', '5 µs'], ['2.5 µs', '2.5 µs'], ['3', '3 µs'], ['0.01 ms', '10 µs']] as const) {
    await page.fill(latency, typed);
    await leave();
    await page.waitForFunction(([where, value]) => (document.querySelector(where!) as HTMLInputElement).value.replace(/\s/g, ' ') === value, [latency, shown]);
  }
  await page.click('summary:has-text("Interruptions")');
  expect((await page.inputValue(restart)) || (await page.getAttribute(restart, 'placeholder'))).toMatch(/^600\ss$/);
  await page.fill(restart, '10 min');
  await leave();
  await page.waitForFunction((where) => (document.querySelector(where) as HTMLInputElement).value.replace(/\s/g, ' ') === '600 s', restart);
});
