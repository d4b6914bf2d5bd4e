// Digits as Intl.NumberFormat prints them in English and Chinese, which share their marks. The first formatter of a
// browser's own takes it 40 to 80 ms to set up, and the page needs one to come to life; a test compares the two.

export interface Places {
  /** After the point, as many as these. */
  fraction?: number;
  /** Or significant ones at most; zeros that end a fraction are left out. */
  significant?: number;
  /** Of ten, that the value is multiplied by: 2 for percent. */
  power?: number;
  /** A sign before all that is not zero as printed, and before nothing else. */
  plus?: boolean;
}

const minus = '\u2212';

/** Half up, away from zero, of the shortest decimal that is this number. */
export function print(value: number, { fraction = 0, significant, power = 0, plus = false }: Places): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? `${plus ? '+' : ''}∞` : `${minus}∞`;
  const [mantissa, exponent] = Math.abs(value).toExponential().split('e') as [string, string];
  const all = mantissa.replace('.', '');
  let point = value === 0 ? 1 : Number(exponent) + 1 + power; // digits before it
  const kept = significant ?? point + fraction;
  let digits = kept < 0 ? '' : all.slice(0, kept);
  if (kept >= 0 && (all[kept] ?? '0') >= '5') {
    digits = String(BigInt(`0${digits}`) + 1n).padStart(kept, '0');
    if (digits.length > kept) point += 1;
  }
  if (point < 1) [digits, point] = ['0'.repeat(1 - point) + digits, 1];
  const whole = digits.slice(0, point).padEnd(point, '0').replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = significant === undefined ? digits.slice(point).padEnd(fraction, '0').slice(0, fraction) : digits.slice(point).replace(/0+$/, '');
  const sign = plus && !/[1-9]/.test(digits) ? '' : value < 0 ? minus : plus ? '+' : '';
  return sign + whole + (rest && `.${rest}`);
}
