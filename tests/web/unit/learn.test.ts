// The tab Learn against the core: what is typed of a claim, what the core says of it in Chinese, the branches of the
// tree, and what groups send.
import { load } from 'meshgauge';
import type { Claim } from '$page/core/claim-types';
import type { Detail, Estimate, Refusal, Scenario } from '$page/core/types';
import type { Variant } from '$page/core/variants';
import { defaultScenario } from '$page/state/default-scenario';
import { readAmount } from '$page/tabs/learn/claiming.svelte';
import { claimOf, timeOf } from '$page/tabs/learn/of-scenario';
import { scopesOf } from '$page/tabs/learn/scope';
import { said } from '$page/tabs/learn/text';
import { asksOf, branchOf, judged } from '$page/tabs/learn/tree';
import { trafficOf } from '$page/summary/traffic';
import { language } from '$page/text/language.svelte';
import { scenarios } from './support/scenarios';

const core = await load();
const all = await load({ all: true });
const ask = <T>(request: object) => JSON.parse(all.apiText(JSON.stringify(request))) as T;
const estimate = (scenario: Scenario) => JSON.parse(core.apiText(JSON.stringify({ command: 'estimate', scenario, explain: true }))) as Estimate;

test.each([
  ['parameters', '65B', 65e9],
  ['parameters', '700亿', 70e9],
  ['tokens', '1.4T tokens', 1.4e12],
  ['tokens', '1万亿', 1e12],
  ['gpus', '2,048 GPUs', 2048],
  ['gpus', '128 张', 128],
  ['days', '21 days', 21],
  ['days', '36h', 1.5],
  ['days', '21', 21],
  ['days', '3 周', 21],
  ['days', '21 天', 21],
  ['days', '３ 个月', 90],
  ['days', '很久', null],
  ['tokens', '1.4 万亿 token', 1.4e12],
  ['tokens', '1.4 万亿个词元', 1.4e12],
  ['parameters', '65B 参数', 65e9],
  ['parameters', '650 亿个参数', 65e9],
  ['gpus', '2048 块 A100', 2048],
  ['mfu', '40%', 0.4],
  ['mfu', '38.5', 0.385],
  ['tflops_per_gpu', '38 TFLOP/s', 38],
  ['tokens', '', undefined],
  ['tokens', 'many', null],
] as const)('%s: %s', (key, text, value) => expect(readAmount(key, text)).toBe(value));

// LLaMA, arXiv:2302.13971: 65B on 2,048 A100 at 380 tokens/s each, 1.4T tokens in 21 days. A textbook has 128 of them.
const llama = { command: 'check', parameters: 65e9, tokens: 1.4e12, gpu: 'a100-sxm-80gb', days: 21 };
test('21 days need 2,048 GPUs and not 128', () => {
  expect(ask<Claim>({ ...llama, gpus: 128 }).verdict).toBe('impossible');
  expect(ask<Claim>({ ...llama, gpus: 2048 }).verdict).toBe('normal');
});

const claims = [
  { ...llama, gpus: 128 },
  { ...llama, gpus: 2048 },
  { ...llama, gpus: 900 },
  { ...llama, gpus: 2048, mfu: 0.2 },
  { ...llama, gpus: 2048, mfu: 0.65 },
  { command: 'check', parameters: 7e9, gpu: 'a100-sxm-80gb', mfu: 0.68 },
  { ...llama, gpus: 128, tflops_per_gpu: 38 },
  { ...llama, gpus: 20_000 },
  { ...llama, gpu: undefined, gpus: 2048 },
  { command: 'check', parameters: 65e9, tokens: 1e12, gpu: 'a100-sxm-80gb' },
  { command: 'check', parameters: 65e9 },
  { command: 'check', parameters: 175e9, tokens: 1e9, gpu: 'a100-sxm-80gb', gpus: 8, days: 30 },
  { command: 'check', parameters: 7e9, gpu: 'a100-sxm-80gb', mfu: 0.95 },
];
const messages = claims.flatMap((claim) => {
  const answer = ask<Claim | Refusal>(claim);
  if (!answer.ok) return answer.issues.map(({ message }) => message);
  return [answer.reason, ...answer.remarks, ...answer.contradictions.map(({ message }) => message), ...answer.warnings.map(({ message }) => message)];
});
test('the claims are judged in every way', () => {
  const verdicts = new Set(claims.map((claim) => ask<Claim>(claim).verdict));
  expect([...verdicts].sort()).toEqual(['contradictory', 'extraordinary', 'impossible', 'normal', 'poor', undefined, 'undetermined'].sort());
});
test.each([...new Set(messages)])('%s', async (message) => {
  await language.use('zh');
  const { text } = said(message);
  expect(text).toMatch(/\p{Script=Han}/u);
  expect(text.replace(/Narayanan et al\. 2021|[A-Za-z]+-\d+B/g, '')).not.toMatch(/[a-z]{3,} [a-z]{2,}/);
});

test('the present scenario, as a claim, has the rate and the MFU of its step', () => {
  const now = estimate(defaultScenario);
  const { figures } = ask<Claim>(claimOf(now, defaultScenario));
  const value = (id: string) => figures.find((figure) => figure.id === id)!.value;
  expect(value('tflops_per_gpu')).toBeCloseTo(now.step.model_tflops_per_gpu, 0);
  expect(value('mfu')).toBeCloseTo(now.step.mfu, 3);
});

const answered = scenarios.flatMap((scenario) => {
  const answer = estimate(scenario) as Estimate | Refusal;
  return answer.ok ? [[JSON.stringify(scenario).slice(0, 90), scenario, answer] as const] : [];
});

test.each(answered)('calls times messages times the time of one is the time of %s', (_, scenario, answer) => {
  const { messages } = ask<Detail>({ command: 'detail', scenario });
  for (const { index, bytes, calls, seconds } of trafficOf(answer, answer.step.slowest_stage)) {
    const { values } = timeOf(calls, bytes, messages[index]!);
    if (seconds > 1e-6) expect((values.c! * (values.m ?? 1) * values.t!) / seconds).toBeCloseTo(1, 4);
  }
});

test('what groups send is what the collectives’ factors say', () => {
  const answer = estimate(defaultScenario);
  const scopes = scopesOf(answer, ask<Detail>({ command: 'detail', scenario: defaultScenario }));
  // Reduce-scatter and all-gather of n ranks send (n - 1) / n of the message, all-reduce twice that: NCCL PERFORMANCE.md.
  const factor = { all_gather: (n: number) => (n - 1) / n, reduce_scatter: (n: number) => (n - 1) / n, all_reduce: (n: number) => (2 * (n - 1)) / n } as const;
  const expected = answer.traffic
    .filter((transfer) => transfer.group === 'tensor_parallel' && transfer.first_stage <= answer.step.slowest_stage && transfer.last_stage >= answer.step.slowest_stage)
    .reduce((sum, { collective, group_size: size, bytes, count_per_step: calls }) => sum + factor[collective as 'all_gather'](size) * bytes * calls, 0);
  expect(scopes.find(({ group }) => group === 'tensor_parallel')!.bytes / expected).toBeCloseTo(1, 4);
});

test('a 70B on 64 GPUs goes down the tree past one GPU and DDP', () => {
  const now = estimate(defaultScenario);
  const variants = asksOf(defaultScenario, now).map(({ id, scenario }): Variant => {
    const answer = estimate(scenario) as Estimate | Refusal;
    return { id, scenario, estimate: answer.ok ? answer : null, changes: [], issue: answer.ok ? null : answer.issues[0]! };
  });
  const rows = judged(variants);
  expect(rows.map(({ branch }) => branch)).toEqual(['single', 'ddp', 'zero', 'tensor', 'pipeline']);
  expect(rows.map(({ variant }) => variant.estimate?.fits).slice(0, 2)).toEqual([false, false]);
  expect(rows.filter(({ lit }) => lit).at(-1)!.variant.estimate!.fits).toBe(true);
  expect(branchOf(now)).toBe('pipeline');
});
