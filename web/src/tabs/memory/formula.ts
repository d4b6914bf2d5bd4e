// A line's formula for people: in symbols, and with the values in their places.
import type { Numbers } from '../../numbers/format';

const functions = new Set(['min', 'max', 'ceil', 'floor', 'sqrt', 'exp']);

/** 2 * P / D reads 2 · P / D. */
export const inSymbols = (formula: string) => formula.replace(/\s*\*\s*/g, ' · ');

export function substituted({ formula, values }: { formula: string; values: Record<string, number> }, numbers: Numbers): string {
  const filled = formula.replace(/[A-Za-z_]\w*/g, (symbol) => {
    const value = values[symbol];
    return functions.has(symbol) || value === undefined ? symbol : plain(value, numbers);
  });
  return inSymbols(filled);
}

/** Beyond this nobody counts the digits. */
const largest = 1e15;

export function plain(value: number, numbers: Numbers): string {
  if (Math.abs(value) >= largest) return Number(value.toPrecision(4)).toExponential().replace('e+', 'e');
  return Number.isInteger(value) ? numbers.integer(value) : numbers.significant(value, 6);
}
