// What the core says of logs and fits is said in Chinese on the Chinese page.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'meshgauge';
import type { Calibration, ImportAnswer, Normal, Refusal } from '$page/core/measured-types';
import { log, logOf } from '$page/tabs/measured/example';
import { said } from '$page/tabs/measured/said';
import { language } from '$page/text/language.svelte';

const core = await load();
const folder = fileURLToPath(new URL('../../data/logs/', import.meta.url));
const files = readdirSync(folder).map((name) => ({ name, bytes: new Uint8Array(readFileSync(folder + name)) }));
const ask = <T>(request: object, given: typeof files) => JSON.parse(core.apiTextWithFiles(JSON.stringify(request), given)) as T | Refusal;

const slow = logOf(9);
const few = log.replace(/^ +(?:\d{6,}) .*\n/gm, '');
const cluster = { system: 'dgx-h100' };
const own = { id: 'r', scenario: { model: 'llama-2-7b', cluster: { system: 'dgx-h100', gpus: 8 }, training: { engine: 'fsdp2' } }, measured: { step_seconds: 3 } };
const encoder = new TextEncoder();

const messages: string[] = [];
const imported = ask<ImportAnswer>({ command: 'import' }, files);
if (imported.ok) {
  for (const { runs, unread } of imported.files) {
    messages.push(...runs.flatMap(({ notes }) => notes), ...unread.map(({ reason }) => reason));
  }
}
for (const given of [files, [], ...[slow, few, log].map((text) => [{ name: 'log', bytes: encoder.encode(text) }])]) {
  const answer = ask<Calibration>({ command: 'calibrate', cluster, runs: given.length === 0 ? [own] : [] }, given);
  if (answer.ok) messages.push(...answer.left_out, ...answer.advice.map(({ message }) => message));
}

for (const text of [slow, log]) {
  for (const where of [cluster, { system: 'dgx-a100-80gb' }]) {
    const answer = ask<Normal>({ command: 'band', cluster: where }, [{ name: 'log', bytes: encoder.encode(text) }]);
    if (answer.ok) messages.push(...answer.groups.flatMap(({ causes }) => causes.map(({ message }) => message)));
  }
}

test('the logs give messages of every kind', () => expect(new Set(messages).size).toBeGreaterThan(25));

test.each([...new Set(messages)])('%s', async (message) => {
  await language.use('zh');
  const chinese = said(message);
  expect(chinese).toMatch(/\p{Script=Han}/u);
  expect(chinese.replace(/[\w_]+(?:[-/][\w.]+)+/g, '')).not.toMatch(/[a-z]{3,} [a-z]{2,}/);
});
