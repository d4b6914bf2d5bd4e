// The files that start a scenario; settings of other programs, pasted.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { paste } from './support/files';
import { field, openReady, startSite, untilHash, untilValue } from './support/site';

startSite();
const panel = '#panel-launch';
const bar = 'aside .bar';
const open = async (hash = ''): Promise<Page> => {
  const { page, complaints } = await openReady(hash);
  await page.click('#tab-launch');
  await page.waitForSelector(`${panel} pre`);
  await page.waitForSelector(`${panel} dl`);
  expect(complaints).toEqual([]);
  return page;
};

test('the files follow the scenario, and are downloaded', async () => {
  const page = await open();
  expect(await page.textContent(`${panel} pre`)).toContain('--tensor-model-parallel-size 8');
  await page.fill(field('/parallelism/tensor_parallel_size'), '4');
  await page.waitForSelector(`${panel} pre:has-text("--tensor-model-parallel-size 4")`);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(`${panel} .actions button:has-text("Download")`)]);
  expect(file.suggestedFilename()).toBe('megatron_args.sh');
  expect(readFileSync(await file.path(), 'utf8')).toContain('--tensor-model-parallel-size 4');
  await page.click(`${panel} .paths button:has-text("env.sh")`);
  await page.waitForSelector(`${panel} pre:has-text("NCCL_DEBUG")`);
  const [set] = await Promise.all([page.waitForEvent('download'), page.click(`${panel} button:has-text("All as .tar")`)]);
  expect(set.suggestedFilename()).toBe('megatron.tar');
});

test('a target of another engine says so and offers the change', async () => {
  const page = await open();
  await page.selectOption(`${panel} select >> nth=0`, 'torchtitan');
  await page.waitForSelector(`${panel} .problems`);
  await page.click(`${panel} .problems button >> nth=0`);
  await untilHash(page, 'torchtitan');
});

test('a learning rate is scaled from a known one', async () => {
  const page = await open();
  await page.fill(`${panel} label:has-text("Batch known to work") input`, '32');
  await page.fill(`${panel} label:has-text("its learning rate") input`, '1e-4');
  await page.waitForSelector(`${panel} dd:has-text("learning rate 0.0002")`); // square root of 128 / 32
});

const deepspeed = JSON.stringify({ train_micro_batch_size_per_gpu: 2, gradient_accumulation_steps: 4, bf16: { enabled: true }, zero_optimization: { stage: 3, nonsense: 1 } });
const accelerate = 'compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_sharding_strategy: FULL_SHARD\n';
const megatron = 'torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --tensor-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 64 --seq-length 4096 --max-position-embeddings 4096 --bf16';
const trainer = 'TrainingArguments(output_dir="x", per_device_train_batch_size=4, gradient_accumulation_steps=2, bf16=True, gradient_checkpointing=True)';

test.each([
  ['a DeepSpeed configuration', deepspeed, /ZeRO stage 3.*1 of them not understood: zero_optimization.nonsense/s],
  ['an accelerate configuration', accelerate, /FSDP2/],
  ['a set of Megatron-LM arguments', megatron, /Model.*TP 4/s],
  ['a set of TrainingArguments', trainer, /Micro-batch 4.*Recompute full/s],
])('%s pasted says what it changes before it is used, and one undo takes it back', async (name, text, changes) => {
  const { page } = await openReady();
  const before = page.url();
  await paste(page, text);
  await page.waitForSelector(`${bar} span:has-text("${name}")`);
  expect(await page.textContent(`${bar} .changes`)).toMatch(changes);
  await page.click(`${bar} button:has-text("Use it")`);
  await page.waitForFunction((old) => location.href !== old, before);
  await page.keyboard.press('Control+z');
  await untilValue(page, field('/parallelism/tensor_parallel_size'), '8');
  await untilValue(page, field('/training/micro_batch_size'), '1');
});
