// Every number on the page is printed here, so that one fact has the same digits everywhere.
// Rounding is half up, once, at display. A missing value is an en dash.

import { print } from './digits';

export type LanguageCode = 'en' | 'zh';

/** A value and its unit, apart: the page sets them in different type. */
export interface Figure {
  value: string;
  unit: string;
}
export interface RunLength {
  value: string;
  unit: 'days' | 'hours' | 'minutes';
}

export const none = '–';
/** In front of a figure that stands flush right the room of a longer one: it begins elsewhere only when it needs more. */
export const wide = (figure: string, length = 5) => figure.padStart(length, '\u2007');

const gibibyte = 2 ** 30;

const spans = [[86400, 'd'], [3600, 'h'], [1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']] as const;

function numbersOf(code: LanguageCode) {
  const locale = code === 'zh' ? 'zh-CN' : 'en-US';
  const decimal = (value: number, digits: number) => print(value, { fraction: digits });
  const significant = (value: number, digits = 3) => print(value, { significant: digits });
  const integer = (value: number) => print(value, {});
  const percent = (ratio: number, digits = 0) => `${print(ratio, { fraction: digits, power: 2 })}%`;
  /** Three digits, so that 21.0 stands under 40.4. */
  const three = (value: number) => (value < 0.995 ? significant(value) : decimal(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0));

  /** Largest unit that leaves a value of at least 1. */
  const scaled = (value: number, units: readonly (readonly [number, string])[]): Figure => {
    const [size, unit] = units.find(([s]) => Math.abs(value) >= s * 0.9995) ?? units[units.length - 1]!;
    const amount = value / size;
    return { value: Math.abs(amount) >= 1000 ? integer(amount) : significant(amount), unit };
  };
  const western = [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'k'], [1, '']] as const;
  const chinese = [[1e12, '万亿'], [1e8, '亿'], [1e4, '万'], [1, '']] as const;
  /** A number never parts from its unit at a line's end. */
  const join = ({ value, unit }: Figure) => (unit ? `${value}\u00a0${unit}` : value);

  const duration = (seconds: number): Figure => {
    if (seconds >= 99.95) return { value: integer(seconds), unit: 's' };
    if (seconds >= 9.995) return { value: decimal(seconds, 1), unit: 's' };
    if (seconds >= 0.9995) return { value: decimal(seconds, 2), unit: 's' };
    return { value: three(seconds * 1e3), unit: 'ms' };
  };

  return {
    decimal,
    integer,
    significant,
    join,
    duration,
    /** Counts people speak of: parameters, tokens. 70.6 B, 706 亿. */
    count: (value: number) => join(scaled(value, code === 'zh' ? chinese : western)),
    /** The same in the short form of inputs and links: 1 T in both languages. */
    compact: (value: number) => join(scaled(value, western)),
    /** A wait as it is typed and read back: 2.5 µs, 600 s, 3 h. */
    span: (seconds: number) => {
      const loses = (amount: number) => Math.abs(amount - Number(amount.toPrecision(4))) > 1e-9 * amount;
      const [size, unit] = spans.find(([s]) => seconds >= s * 0.9995 && !loses(seconds / s)) ?? [1, 's'];
      return join({ value: significant(seconds / size, 4), unit });
    },
    /** GiB for columns and figures; `unit` where another is shown. */
    gib: (bytes: number, digits = 2, unit = gibibyte) => {
      const smallest = 10 ** -digits;
      const amount = bytes / unit;
      if (amount > 0 && amount < smallest / 2) return `< ${decimal(smallest, digits)}`;
      return decimal(amount, digits);
    },
    /** A message or tensor with the unit that suits it: 128 MiB. */
    bytes: (bytes: number) =>
      join(scaled(bytes, [[2 ** 40, 'TiB'], [gibibyte, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']])),
    /** One column, one unit: the total decides. `last`: seconds of its last digit. */
    timeColumn: (total: number) => {
      const [unit, size, digits] = total >= 0.9995 ? (['s', 1, 2] as const) : (['ms', 1e3, total >= 0.0995 ? 1 : 2] as const);
      return { unit, of: (seconds: number) => decimal(seconds * size, digits), last: 10 ** -digits / size };
    },
    milliseconds: (seconds: number) => three(seconds * 1e3),
    /** Both ends of a time range at equal digits. */
    timeRange: (low: number, high: number) => {
      const digits = low >= 9.995 ? 1 : 2;
      if (high < 0.9995) return join({ value: `${significant(low * 1e3)}–${significant(high * 1e3)}`, unit: 'ms' });
      return join({ value: low >= 99.95 ? `${integer(low)}–${integer(high)}` : `${decimal(low, digits)}–${decimal(high, digits)}`, unit: 's' });
    },
    runLength: (days: number): RunLength => {
      if (days >= 99.95) return { value: integer(days), unit: 'days' };
      if (days >= 1) return { value: decimal(days, 1), unit: 'days' };
      if (days >= 1 / 24) return { value: decimal(days * 24, 1), unit: 'hours' };
      return { value: decimal(days * 1440, 1), unit: 'minutes' };
    },
    percent,
    /** A difference, printed already. */
    signed: (text: string, value: number) => (value > 0 ? `+${text}` : text),
    /** A difference as a share, with its sign. */
    signedPercent: (ratio: number) => `${print(ratio, { fraction: 1, power: 2, plus: true })}%`,
    /** Shares in a column, with one decimal and never a 0 for what is there. */
    finePercent: (ratio: number) => (ratio > 0 && ratio < 0.0005 ? `<\u00a0${percent(0.001, 1)}` : percent(ratio, 1)),
    /** A share in a column headed %: never a 0 for what is there. */
    share: (ratio: number) => (ratio > 0 && ratio < 0.01 ? '< 1' : integer(ratio * 100)),
    /** Never 0 or 100. */
    probability: (p: number) => (p >= 0.99 ? '>\u00a099%' : p <= 0.01 ? '<\u00a01%' : percent(p)),
    /** GB/s = 1e9 bytes a second. */
    rate: (bytesPerSecond: number) => join({ value: significant(bytesPerSecond / 1e9), unit: 'GB/s' }),
    /** FLOPs of a step, FLOP/s of a GPU: value and SI prefix. */
    flops: (value: number, unit: string) =>
      join(scaled(value, [[1e18, `E${unit}`], [1e15, `P${unit}`], [1e12, `T${unit}`], [1e9, `G${unit}`], [1, unit]])),
    energy: (kilowattHours: number) => join(scaled(kilowattHours, [[1e6, 'GWh'], [1e3, 'MWh'], [1, 'kWh']])),
    day: (milliseconds: number) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(milliseconds),
    money: (usd: number) => `$${integer(usd)}`,
  };
}

export type Numbers = ReturnType<typeof numbersOf>;
const made: Partial<Record<LanguageCode, Numbers>> = {};
export const numbers = (code: LanguageCode): Numbers => (made[code] ??= numbersOf(code));
