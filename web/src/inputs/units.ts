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
  seconds: { kind: 'seconds', per: 1, suffix: '' },
  'USD/h': { kind: 'money', per: 1, suffix: '$/h' },
  W: { kind: 'count', per: 1, suffix: 'W' },
  'GPU hours': { kind: 'count', per: 1, suffix: 'GPU h' },
};
const plain: Unit = { kind: 'count', per: 1, suffix: '' };

function unitOf(field: Field): Unit {
  if (field.path.endsWith('/sequence_length')) return { kind: 'sequence', per: 1, suffix: '' };
  const unit = units[field.unit ?? ''] ?? plain;
  return field.path.endsWith('latency_seconds') ? { ...unit, per: 1e-6 } : unit;
}

export const suffixOf = (field: Field) => unitOf(field).suffix;

/** The value to hand to the core. What cannot be read goes as it is: the core says what it expects. */
export function readField(field: Field, text: string): unknown {
  if (field.type === 'array') return readList(text);
  if (field.type === 'string') return text.trim();
  return read(field, text) ?? text.trim();
}

/** Also with the unit that stands beside the field. */
function read(field: Field, text: string): number | null {
  const { kind, per, suffix } = unitOf(field);
  const own = kind === 'count' && suffix !== '' && text.trim().toLowerCase().endsWith(suffix.toLowerCase());
  return parse(own ? text.trim().slice(0, -suffix.length) : text, kind, per);
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
  if (kind === 'seconds') return n().span(value);
  if (kind === 'count' && value >= 1e6) return n().compact(value);
  if (per === 1) return Number.isInteger(value) ? n().integer(value) : n().significant(value, 4);
  return n().significant(value / per, 4);
}

/** A price is asked of nobody; all else that has no figure of its own follows from the rest. */
export const nothingTyped = (field: Field) => (unitOf(field).kind === 'money' ? none : t('layout.auto'));

/** Said under a field while it is typed in, where the text leaves room for doubt. */
export function echoOf(field: Field, text: string): string | null {
  if (field.type === 'string') return null;
  const { kind } = unitOf(field);
  const value = read(field, text);
  if (value === null || Math.abs(value) >= beyondReading) return null;
  if (kind === 'rate' && isAmbiguousRate(text)) return `${n().significant((value * 8) / 1e9)} Gb/s = ${n().rate(value)}`;
  if (kind === 'seconds') return n().span(value);
  if (kind === 'sequence' && /k/i.test(text)) return n().integer(value);
  if (kind === 'bytes' && /[a-z]/i.test(text)) return `${n().gib(value)} GiB`;
  return kind === 'count' && /[a-z万亿]/i.test(text) ? n().integer(value) : null;
}
