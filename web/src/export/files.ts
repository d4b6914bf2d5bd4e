// What leaves the page as a file: JSON, and the ledger as a table.
import type { Estimate } from '../core/types';

export const jsonFile = (value: unknown) => new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' });

const cell = (value: string | number) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

/** Every line of every stage, in bytes, as the core said it (RFC 4180). */
export function ledgerCsv({ memory }: Estimate): string {
  const head = ['stage', 'id', 'name', 'category', 'bytes', 'phases', 'formula', 'values', 'source'];
  const rows = memory.stages.flatMap(({ stage, lines, other_lines }) =>
    [...lines, ...other_lines].map(({ id, name, category, bytes, phases, formula, values, source }) => [
      stage,
      id,
      name,
      category,
      bytes,
      phases.join(' '),
      formula,
      Object.entries(values)
        .map(([symbol, value]) => `${symbol}=${value}`)
        .join(' '),
      source,
    ]),
  );
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
