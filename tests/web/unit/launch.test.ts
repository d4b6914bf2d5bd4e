// The tab Launch against the core: its targets, its groups; and its archive against the format.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'meshgauge';
import type { Batch, Groups } from '$page/core/launch-types';
import { groupOf } from '$page/tabs/communication/members';
import { targets } from '$page/tabs/launch/launching.svelte';
import { tar } from '$page/tabs/launch/tar';
import { groups as groupWords } from '$page/text/en-groups';
import { launch as english } from '$page/text/en-launch';

const core = await load();
const ask = <T>(request: object) => JSON.parse(core.apiText(JSON.stringify(request))) as T;
const scenario = (cluster: object, parallelism: object) => ({ model: 'llama-3.1-70b', cluster: { system: 'dgx-h100', ...cluster }, parallelism, training: { engine: 'megatron' } });

test('the page offers the core’s targets', () => {
  const refusal = ask<{ issues: { message: string }[] }>({ command: 'launch', scenario: {} });
  expect(refusal.issues[0]!.message).toBe(`target is missing. Allowed: ${targets.join(', ')}.`);
});

test.each([
  [{ gpus: 64 }, { tensor_parallel_size: 8, pipeline_parallel_size: 4 }],
  [{ gpus: 64 }, { tensor_parallel_size: 2, pipeline_parallel_size: 4, context_parallel_size: 2 }],
])('the ranks lit together are those that the core lists: %o %o', (cluster, parallelism) => {
  const answer = ask<Groups>({ command: 'groups', scenario: scenario(cluster, parallelism), all: true });
  expect(answer.groups.length).toBeGreaterThan(3);
  for (const kind of answer.groups) {
    for (const ranks of kind.ranks) for (const rank of ranks) expect(groupOf(kind, rank)).toEqual([...ranks].sort((a, b) => a - b));
    expect(`purpose.${kind.group}` in groupWords, kind.group).toBe(true);
  }
});

test('every hint has its words', () => {
  for (const optimizer of ['adamw', 'sgd']) {
    const answer = ask<Batch>({ command: 'batch', scenario: { model: 'gpt2', cluster: { system: 'dgx-h100', gpus: 8 }, training: { optimizer } }, reference: { global_batch_size: 8, learning_rate: 1e-3, noise_scale: 100 } });
    for (const { id, quantity } of answer.hints) {
      expect(`limits.${id}` in english, id).toBe(true);
      expect(`quantity.${quantity.replaceAll(/\W+/g, '_')}` in english, quantity).toBe(true);
    }
  }
});

test('tar reads the archive back, with the right to run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'meshgauge-'));
  const files = [
    { path: 'run.sh', text: '#!/bin/sh\necho é\n', executable: true },
    { path: 'empty.txt', text: '', executable: false },
    { path: 'args.sh', text: 'x'.repeat(1024), executable: false },
  ];
  writeFileSync(join(folder, 'set.tar'), Buffer.from(await tar(files).arrayBuffer()));
  execFileSync('tar', ['xf', 'set.tar'], { cwd: folder });
  for (const { path, text } of files) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
  expect(statSync(join(folder, 'run.sh')).mode & 0o111).toBe(0o111);
  expect(statSync(join(folder, 'args.sh')).mode & 0o111).toBe(0);
});
