// The page's digits are the browser's own, in both languages.
import { print, type Places } from '$page/numbers/digits';

/** Numbers in [0, 1) that are the same everywhere. */
let state = 1;
const random = () => (state = (state * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;

const styles: [Places, Intl.NumberFormatOptions][] = [
  ...[0, 1, 2, 3].map((n): [Places, Intl.NumberFormatOptions] => [{ fraction: n }, { minimumFractionDigits: n, maximumFractionDigits: n }]),
  ...[1, 3, 4].map((n): [Places, Intl.NumberFormatOptions] => [{ significant: n }, { maximumSignificantDigits: n }]),
  ...[0, 1].map((n): [Places, Intl.NumberFormatOptions] => [{ fraction: n, power: 2 }, { style: 'percent', minimumFractionDigits: n, maximumFractionDigits: n }]),
  [{ fraction: 1, power: 2, plus: true }, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: 'exceptZero' }],
];

const values = [0, 0.5, 1.5, 2.5, 0.05, 0.005, 1.005, 0.999, 9.995, 99.95, 999.5, 999.96, 0.0004, 1e-9, 123456, 1e15, 4.2e21, Infinity];
for (let i = 0; i < 3000; i++) {
  const size = 10 ** Math.floor(random() * 24 - 8);
  values.push(random() * size, Math.round(random() * 1000) / 1000, Math.round(random() * 2000) / 8);
}

describe.each(['en-US', 'zh-CN'])('%s', (locale) => {
  test.each(styles)('%o', (places, options) => {
    const formatter = new Intl.NumberFormat(locale, options);
    const wrong: [number, string, string][] = [];
    for (const value of [...values, ...values.filter((v) => v > 0).map((v) => -v)]) {
      const own = print(value, places) + (places.power ? '%' : '');
      const theirs = formatter.format(value).replace('-', '\u2212');
      if (own !== theirs) wrong.push([value, own, theirs]);
    }
    expect(wrong).toEqual([]);
  });
});
