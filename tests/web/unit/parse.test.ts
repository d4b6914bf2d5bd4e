// Amounts as people write them, read into plain numbers.
import { isAmbiguousRate, parse, type Kind } from '$page/numbers/parse';

const gibibyte = 2 ** 30;
const table: [Kind, string, number | null, number?][] = [
  ['bytes', '80GB', 80e9],
  ['bytes', '80 GiB', 80 * gibibyte],
  ['bytes', '81559MiB', 81559 * 2 ** 20],
  ['bytes', '80', 80 * gibibyte, gibibyte],
  ['bytes', '80 gib', 80 * gibibyte],
  ['bytes', '80 parsecs', null],
  ['rate', '400Gb/s', 50e9],
  ['rate', '400 Gbps', 50e9],
  ['rate', '400G', 50e9],
  ['rate', '50GB/s', 50e9],
  ['rate', '900 GB/s bidir', 450e9],
  ['rate', '25', 25e9, 1e9],
  ['rate', 'fast', null],
  ['count', '1.4T', 1.4e12],
  ['count', '15e12', 15e12],
  ['count', '8B', 8e9],
  ['count', '70b', 70e9],
  ['count', '3e21', 3e21],
  ['count', '1万亿', 1e12],
  ['count', '700亿', 70e9],
  ['count', '1 T tokens', 1e12],
  ['count', '1.4 万亿 token', 1.4e12],
  ['count', '1.4 万亿个 token', 1.4e12],
  ['count', '65B 参数', 65e9],
  ['count', '650 亿个参数', 65e9],
  ['count', '1,024', 1024],
  ['count', '1k', 1000],
  ['count', '６４', 64],
  ['count', '１．５Ｔ', 1.5e12],
  ['count', '1 024 000', 1024000],
  ['count', '8 8', null],
  ['count', '1,05', null],
  ['count', '1e300', 1e300],
  ['count', '1e999', null],
  ['count', 'many', null],
  ['count', '', null],
  ['sequence', '8k', 8192],
  ['sequence', '8192', 8192],
  ['sequence', '128K', 131072],
  ['sequence', '200k', 200000],
  ['sequence', '8,192 tokens', 8192],
  ['seconds', '21 days', 21 * 86400],
  ['seconds', '36h', 36 * 3600],
  ['seconds', '21 天', 21 * 86400],
  ['seconds', '3 周', 21 * 86400],
  ['seconds', '2 months', 60 * 86400],
  ['seconds', '10 分钟', 600],
  ['seconds', '5us', 5e-6],
  ['seconds', '2.5 µs', 2.5e-6],
  ['seconds', '3', 3e-6, 1e-6],
  ['money', '$2.10/h', 2.1],
  ['money', '15 元/时', 15],
  ['money', '2.1', 2.1],
  ['money', '$2.10 per GPU hour', 2.1],
  ['money', 'US$2.10/GPU-hour', 2.1],
  ['money', '2.10 USD/h', 2.1],
  ['money', '¥15/卡时', 15],
  ['money', 'free', null],
];

test.each(table)('reads %s "%s" as %s', (kind, text, expected, perUnit) => {
  const value = parse(text, kind, perUnit);
  if (expected === null) expect(value).toBeNull();
  else expect(value).toBeCloseTo(expected, Math.max(0, 12 - Math.ceil(Math.log10(Math.max(1, expected)))));
});

test('tells bits from bytes only where they were said', () => {
  expect(isAmbiguousRate('400G')).toBe(true);
  expect(isAmbiguousRate('400Gb/s')).toBe(false);
  expect(isAmbiguousRate('50 GB/s')).toBe(false);
});
