// Digits, units and signs of section 11 of the page's rules: one function for each kind of number.
import { numbers } from '$page/numbers/format';

/** Values and units are joined by a space that does not break. */
const spaces = (text: string) => text.replace(/\u00a0/g, ' ');

const en = numbers('en');
const zh = numbers('zh');
const gibibyte = 2 ** 30;

test('memory has two decimals in columns and one in the verdict', () => {
  expect(en.gib(51.493 * gibibyte)).toBe('51.49');
  expect(en.gib(51.493 * gibibyte, 1)).toBe('51.5');
  expect(en.gib(0)).toBe('0.00');
  expect(en.gib(0.004 * gibibyte)).toBe('< 0.01');
  expect(en.gib(1234.5 * gibibyte, 1)).toBe('1,234.5');
});

test.each([
  [174.4, '174', 's'],
  [99.96, '100', 's'],
  [15.72, '15.7', 's'],
  [3.614, '3.61', 's'],
  [0.9999, '1.00', 's'],
  [0.7042, '704', 'ms'],
  [0.021, '21.0', 'ms'],
  [0.003, '3.00', 'ms'],
  [0.04571, '45.7', 'ms'],
  [0.00009, '0.09', 'ms'],
])('%s s prints as %s %s', (seconds, value, unit) => {
  expect(en.duration(seconds)).toEqual({ value, unit });
});

test('rounds half up, once', () => {
  expect(en.decimal(2.5, 0)).toBe('3');
  expect(en.decimal(0.125, 2)).toBe('0.13');
  expect(en.percent(0.475)).toBe('48%');
});

test('a column of times has one unit', () => {
  expect(en.timeColumn(15.7).of(0.0083)).toBe('0.01');
  expect(en.timeColumn(0.5)).toMatchObject({ unit: 'ms' });
  expect(en.timeColumn(0.5).of(0.0083)).toBe('8.3');
});

test('probability is never 0 or 100', () => {
  expect(spaces(en.probability(1))).toBe('> 99%');
  expect(spaces(en.probability(0))).toBe('< 1%');
  expect(spaces(en.probability(0.66))).toBe('66%');
});

test('a share that is there never prints as 0', () => {
  expect(en.share(0.004)).toBe('< 1');
  expect(en.share(0)).toBe('0');
  expect(en.share(0.248)).toBe('25');
});

test('a column of shares keeps a decimal and never prints as 0', () => {
  expect(en.finePercent(0.4492)).toBe('44.9%');
  expect(spaces(en.finePercent(0.0003))).toBe('< 0.1%');
  expect(en.finePercent(0)).toBe('0.0%');
});

test('counts are B in English and 亿 in Chinese', () => {
  expect(spaces(en.count(70.55e9))).toBe('70.6 B');
  expect(spaces(zh.count(70.55e9))).toBe('706 亿');
  expect(spaces(zh.count(1048576))).toBe('105 万');
  expect(spaces(zh.count(1e12))).toBe('1 万亿');
  expect(spaces(en.compact(1e12))).toBe('1 T');
  expect(spaces(zh.compact(1e12))).toBe('1 T');
});

test('ranges have both ends at equal digits', () => {
  expect(spaces(en.timeRange(14.82, 16.66))).toBe('14.8–16.7 s');
  expect(spaces(en.timeRange(9.42, 10.08))).toBe('9.42–10.08 s');
  expect(spaces(en.timeRange(0.142, 0.166))).toBe('142–166 ms');
  expect(spaces(en.timeRange(142.2, 166.4))).toBe('142–166 s');
});

test('messages are binary, rates decimal', () => {
  expect(spaces(en.bytes(128 * 2 ** 20))).toBe('128 MiB');
  expect(spaces(en.bytes(4))).toBe('4 B');
  expect(spaces(en.rate(450e9))).toBe('450 GB/s');
  expect(spaces(en.flops(471e15, 'FLOP'))).toBe('471 PFLOP');
});

test('differences carry a true minus', () => {
  expect(en.decimal(-2.5, 1)).toBe('\u22122.5');
});

test.each([
  [174.2, '174', 'days'],
  [21.04, '21.0', 'days'],
  [0.5, '12.0', 'hours'],
  [0.01, '14.4', 'minutes'],
])('a run of %s days prints as %s %s', (days, value, unit) => {
  expect(en.runLength(days)).toEqual({ value, unit });
});
