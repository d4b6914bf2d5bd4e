// A comparison as Markdown, for an issue or a message.
import type { Differences } from './differences';

export interface MarkdownTable {
  heading: string;
  differences: Differences;
  print: (value: number) => string;
  signed: (value: number) => string;
  total: { name: string; a: number; b: number };
}

const escaped = (text: string) => text.replace(/\|/g, '\\|');

export function markdownOf(names: { a: string; b: string }, tables: MarkdownTable[]): string {
  return tables
    .map(({ heading, differences, print, signed, total }) => {
      const lines = [...differences.lines, total];
      const rows = lines.map(({ name, a, b }) => `| ${escaped(name)} | ${print(a)} | ${print(b)} | ${signed(b - a)} |`);
      return [`| ${escaped(heading)} | A: ${escaped(names.a)} | B: ${escaped(names.b)} | B − A |`, '|---|--:|--:|--:|', ...rows].join('\n');
    })
    .join('\n\n');
}
