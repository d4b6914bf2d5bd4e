// A claim as people say it, in both languages.
import { claimIn, isClaim } from '$page/tabs/learn/claim-words';

const gpus = [
  { id: 'a100-sxm-40gb', name: 'NVIDIA A100 SXM4 40GB' },
  { id: 'a100-sxm-80gb', name: 'NVIDIA A100 SXM4 80GB' },
  { id: 'a100-pcie-80gb', name: 'NVIDIA A100 PCIe 80GB' },
  { id: 'h100-sxm-80gb', name: 'NVIDIA H100 SXM5 80GB' },
];

test.each([
  ['65B on 128 A100 in 21 days, 1.4T tokens', { parameters: '65B', tokens: '1.4T', gpus: '128', days: '21 days', gpu: 'a100-sxm-80gb' }],
  ['用 128 张 A100 训练 65B 参数、1.4 万亿 token，21 天', { parameters: '65B', tokens: '1.4万亿', gpus: '128', days: '21 天', gpu: 'a100-sxm-80gb' }],
  ['650 亿参数，2,048 块 A100 80GB，1.4 万亿个 token，MFU 40%', { parameters: '650亿', tokens: '1.4万亿', gpus: '2048', mfu: '40%', gpu: 'a100-sxm-80gb' }],
  ['LLaMA-65B: 2048 GPUs, 3 weeks', { parameters: '65B', gpus: '2048', days: '3 weeks' }],
  ['8 x H100, 7 billion parameters, 400 TFLOP/s', { parameters: '7B', gpus: '8', tflops_per_gpu: '400', gpu: 'h100-sxm-80gb' }],
  ['２１天', { days: '21 天' }],
  ['１２８ 张卡', { gpus: '128' }],
])('%s', (text, expected) => expect(claimIn(text, gpus)).toEqual(expected));

test('a name is no claim', () => {
  for (const text of ['llama 3.1 70b', 'dgx h100', 'h100 80gb', 'tp 8', '405b', '']) expect(isClaim(claimIn(text, gpus))).toBe(false);
  expect(isClaim(claimIn('21 天 128 张 A100', gpus))).toBe(true);
});
