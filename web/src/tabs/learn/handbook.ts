// The cases of the core's handbook catalog, in both languages.
import list from '../../../../core/catalog/handbook.json';
import type { Scenario } from '../../core/types';

export interface Bilingual {
  en: string;
  zh: string;
}
export interface CaseFigure {
  what: Bilingual;
  /** The text's number; null where the text has none. */
  text: number | null;
  value: number;
  unit: string;
  formula: string;
  values: Record<string, number>;
  note?: Bilingual;
}
export interface HandbookCase {
  id: string;
  title: Bilingual;
  source: string;
  text_says: Bilingual;
  follows: Bilingual;
  why: Bilingual;
  agrees: boolean;
  scenario?: Scenario;
  figures: CaseFigure[];
}
export const cases = list as HandbookCase[];
