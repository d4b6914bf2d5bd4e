// A line's formula for people: in symbols, and with the values in their places.
import type { Numbers } from '../../numbers/format';

const functions = new Set(['min', 'max', 'ceil', 'floor']);

/** 2 * P / D reads 2 · P / D. */
export const inSymbols = (formula: string) => formula.replace(/\s*\*\s*/g, ' · ');

export function substituted({ formula, values }: { formula: string; values: Record<string, number> }, numbers: Numbers): string {
  const filled = formula.replace(/[A-Za-z_]\w*/g, (symbol) => {
    const value = values[symbol];
    return functions.has(symbol) || value === undefined ? symbol : plain(value, numbers);
  });
  return inSymbols(filled);
}

export const plain = (value: number, numbers: Numbers) =>
  Number.isInteger(value) ? numbers.integer(value) : numbers.significant(value, 6);
