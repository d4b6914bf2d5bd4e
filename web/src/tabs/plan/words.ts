// Layouts and what the core says of them, in the language of the page.
import { inLanguage } from '../../text/core-messages';
import { language, named, spaced } from '../../text/language.svelte';
import type { Layout } from '../../core/plan-types';
import { t } from './text';

const chinese: [RegExp, string][] = [
  [/ with SP/g, '+SP'],
  [/full recompute/g, '完全重计算'],
  [/recompute of ([\d,]+) layers a chunk/g, '每块重算 $1 层'],
  [/recompute of ((?:\w+)(?:, (?:layernorm|mlp|moe_activation|mla_up_projection|core_attention|operators))*)/g, '重算 $1'],
  [/\binterleaved\b/g, '交错式 1F1B'],
  [/layers by cost/g, '按耗时分层'],
  [/\bno layout fits: the one that needs least needs (\S+) GiB of (\S+) GiB\./g, '没有装得下的布局：最省的也要 $1 GiB，而可用 $2 GiB。'],
  [/\bno layout is (\S+) % likely to fit: the one that needs least needs (\S+) GiB of (\S+) GiB\./g, '没有布局装得下的概率达到 $1%：最省的也要 $2 GiB，而可用 $3 GiB。'],
  [/\bno layout is legal\./g, '没有合法的布局。'],
  [/the run takes longer than the deadline with the best layout\./g, '最好的布局也赶不上期限。'],
  [/no layout reaches the efficiency that is asked for\./g, '没有布局能达到所要的效率。'],
];

/** "megatron, TP 4 with SP, ..." as the core writes it, and its reasons. */
export function layoutWords(text: string): string {
  const [first, ...rest] = text.split(', ');
  const engine = rest.length > 0 ? named('option', first) : first!;
  return said([engine, ...rest].join(' · '));
}

export function said(text: string): string {
  if (language.code !== 'zh') return text;
  const translated = chinese.reduce((so, [pattern, words]) => so.replace(pattern, words), text);
  return translated === text ? inLanguage(text) : spaced(translated);
}

export function recomputeWords({ training }: Layout): string {
  const recompute = training.recompute as string | { method?: string; layers?: number; modules?: string[] };
  if (typeof recompute === 'string') return named('option', recompute);
  if (recompute.modules) return recompute.modules.map((module) => named('option', module)).join(', ');
  return recompute.layers ? t('plan.recompute_layers', { layers: recompute.layers }) : named('option', 'full');
}
