// How a field's amount is typed and shown: by the unit that the core names for it.
import type { Field } from '../core/types';
import { none } from '../numbers/format';
import { isAmbiguousRate, parse, type Kind } from '../numbers/parse';
import { n, t } from '../text/language.svelte';

interface Unit {
  kind: Kind;
  /** What one of the shown unit counts. */
  per: number;
  suffix: string;
}

const gibibyte = 2 ** 30;
/** No field allows as much, and its digits would fill the page. */
const beyondReading = 1e18;
const units: Record<string, Unit> = {
  bytes: { kind: 'bytes', per: gibibyte, suffix: 'GiB' },
  'bytes/s': { kind: 'rate', per: 1e9, suffix: 'GB/s' },
  seconds: { kind: 'seconds', per: 1e-6, suffix: 'µs' },
  'USD/h': { kind: 'money', per: 1, suffix: '$/h' },
};
const plain: Unit = { kind: 'count', per: 1, suffix: '' };

const unitOf = (field: Field): Unit =>
  field.path.endsWith('/sequence_length') ? { kind: 'sequence', per: 1, suffix: '' } : (units[field.unit ?? ''] ?? plain);

export const suffixOf = (field: Field) => unitOf(field).suffix;

/** The value to hand to the core. What cannot be read goes as it is: the core says what it expects. */
export function readField(field: Field, text: string): unknown {
  if (field.type === 'array') return readList(text);
  if (field.type === 'string') return text.trim();
  const { kind, per } = unitOf(field);
  return parse(text, kind, per) ?? text.trim();
}

function readList(text: string): unknown {
  const items = text.split(/[\s,，、]+/).filter(Boolean);
  return items.length > 0 && items.every((item) => /^\d+$/.test(item)) ? items.map(Number) : text.trim();
}

export function showField(field: Field, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'number') return String(value);
  const { kind, per } = unitOf(field);
  if (kind === 'count' && value >= 1e6) return n().compact(value);
  if (per === 1) return Number.isInteger(value) ? n().integer(value) : n().significant(value, 4);
  return n().significant(value / per, 4);
}

/** A price is asked of nobody; all else that has no figure of its own follows from the rest. */
export const nothingTyped = (field: Field) => (unitOf(field).kind === 'money' ? none : t('layout.auto'));

/** Said under a field while it is typed in, where the text leaves room for doubt. */
export function echoOf(field: Field, text: string): string | null {
  if (field.type === 'string') return null;
  const { kind, per } = unitOf(field);
  const value = parse(text, kind, per);
  if (value === null || Math.abs(value) >= beyondReading) return null;
  if (kind === 'rate' && isAmbiguousRate(text)) return `${n().significant((value * 8) / 1e9)} Gb/s = ${n().rate(value)}`;
  if (kind === 'sequence' && /k/i.test(text)) return n().integer(value);
  if (kind === 'bytes' && /[a-z]/i.test(text)) return `${n().gib(value)} GiB`;
  return kind === 'count' && /[a-z万亿]/i.test(text) ? n().integer(value) : null;
}
