// Reads amounts as people write them. One function, tested as a table; null means "not an amount of this kind".

export type Kind = 'count' | 'sequence' | 'bytes' | 'rate' | 'seconds' | 'money';

const multipliers: Record<string, number> = {
  '': 1, k: 1e3, m: 1e6, b: 1e9, g: 1e9, t: 1e12, 万: 1e4, 亿: 1e8, 万亿: 1e12,
};
const byteUnits: Record<string, number> = {
  b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40, g: 1e9,
};
const rateUnits: Record<string, number> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 };
const timeUnits: Record<string, number> = {
  ns: 1e-9, us: 1e-6, µs: 1e-6, μs: 1e-6, ms: 1e-3, s: 1, sec: 1, seconds: 1, 秒: 1, min: 60, minutes: 60, 分钟: 60,
  h: 3600, hr: 3600, hrs: 3600, hour: 3600, hours: 3600, 小时: 3600, d: 86400, day: 86400, days: 86400, 天: 86400, 日: 86400,
  week: 604_800, weeks: 604_800, 周: 604_800, 星期: 604_800, 个星期: 604_800, month: 2_592_000, months: 2_592_000, 月: 2_592_000, 个月: 2_592_000,
};

/** Splits "1,024 GiB" into the number and the rest. Full-width digits are digits; what groups them groups three. */
function split(text: string): [number, string] | null {
  const number = /^([+-]?(?:\d{1,3}(?:[,_ ]\d{3})+(?:\.\d*)?|\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(.*)$/i;
  const found = number.exec(text.normalize('NFKC').trim());
  if (!found) return null;
  const value = Number(found[1]!.replace(/[,_ ]/g, ''));
  return Number.isFinite(value) ? [value, found[2]!.trim()] : null;
}

const isPowerOfTwo = (n: number) => Number.isInteger(n) && n > 0 && (n & (n - 1)) === 0;

/** `perUnit`: what a bare number counts in, when the field shows a unit (2^30 for GiB, 1e9 for GB/s, 1e-6 for µs). */
export function parse(text: string, kind: Kind, perUnit = 1): number | null {
  const money = kind === 'money' ? text.replace(/^\s*(?:us)?[$¥€£]\s*/i, '') : text;
  const parts = split(money);
  if (!parts) return null;
  const [value, rest] = parts;
  const unit = rest.toLowerCase();
  switch (kind) {
    case 'count': {
      const times = multipliers[unit.replace(/\s*个?\s*(tokens?|词元|参数|params?|parameters?|flops?)$/, '')];
      return times === undefined ? null : exact(value * times);
    }
    case 'sequence': {
      if (unit === 'k') return isPowerOfTwo(value) ? value * 1024 : exact(value * 1000);
      return unit === '' || /^tokens?$/.test(unit) ? value : null;
    }
    case 'bytes': {
      if (unit === '') return value * perUnit;
      const times = byteUnits[unit];
      return times === undefined ? null : exact(value * times);
    }
    case 'rate':
      return rate(value, rest, perUnit);
    case 'seconds': {
      if (unit === '') return value * perUnit;
      const times = timeUnits[unit];
      return times === undefined ? null : value * times;
    }
    case 'money':
      return /^(?:[$元¥€]|usd|rmb|dollars?|美元)?\s*(?:(?:\/|per|每)?\s*(?:gpu|卡)?[\s-]*(?:h|hr|hours?|时|小时))?$/.test(unit) ? value : null;
  }
}

/** b = bit, B = byte; a bare G is a network's bits; "bidir" counts both directions. */
function rate(value: number, rest: string, perUnit: number): number | null {
  if (rest === '') return value * perUnit;
  const found = /^([kmgt])(i?)(b|B|bit|byte)?(?:ps|\/s)?\s*(bidir(?:ectional)?|双向)?$/i.exec(rest);
  if (!found) return null;
  const letter = found[3];
  const isBytes = letter === 'B' || letter?.toLowerCase() === 'byte';
  const times = rateUnits[found[1]!.toLowerCase()]!;
  return exact((value * times) / (isBytes ? 1 : 8) / (found[4] ? 2 : 1));
}

/** True where the reading needs an echo: bits or bytes was not said. */
export const isAmbiguousRate = (text: string) => /\d\s*[kmgt]$/i.test(text.trim());

/** 1.4 * 1e12 is 1.4e12 and not a neighbour of it. */
const exact = (value: number) => Number(value.toPrecision(15));
