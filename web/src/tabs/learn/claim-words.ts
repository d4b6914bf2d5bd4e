// A claim as people say it, in English or Chinese: "65B on 128 A100 in 21 days", "用 128 张 A100 训练 65B 参数，21 天".
import type { Key } from './claiming.svelte';

export interface Said extends Partial<Record<Key, string>> {
  /** A GPU of the catalog. */
  gpu?: string;
}

const number = String.raw`(\d+(?:\.\d+)?(?:e\d+)?)`;
const scale = String.raw`(万亿|亿|万|trillion|billion|million|bn|[kmbt](?![a-z]))`;
const short: Record<string, string> = { trillion: 'T', billion: 'B', million: 'M', bn: 'B' };

const patterns: { key: Key; pattern: RegExp; write: (amount: string, unit: string) => string }[] = [
  { key: 'tflops_per_gpu', pattern: new RegExp(String.raw`${number}\s*t(flops?(?:\/s)?)`), write: (amount) => amount },
  { key: 'mfu', pattern: new RegExp(String.raw`${number}\s*(%)`), write: (amount) => `${amount}%` },
  { key: 'days', pattern: new RegExp(String.raw`${number}\s*(天|日|个?星期|周|个?月|小时|days?|weeks?|months?|hours?|hrs?|h(?![a-z0-9])|d(?![a-z]))`), write: (amount, unit) => `${amount} ${unit}` },
  { key: 'tokens', pattern: new RegExp(String.raw`${number}\s*${scale}?\s*个?\s*(?:tokens?|词元)`), write: scaled },
  { key: 'parameters', pattern: new RegExp(String.raw`${number}\s*${scale}\s*个?\s*(?:参数|param)`), write: scaled },
  { key: 'gpus', pattern: new RegExp(String.raw`${number}\s*(张|块|卡|台|gpus?|cards?|[x×](?=\s*\S))`), write: (amount) => amount },
  { key: 'parameters', pattern: new RegExp(String.raw`${number}\s*(亿|billion|bn|b(?![a-z]))`), write: scaled },
];

function scaled(amount: string, unit: string): string {
  return `${amount}${short[unit] ?? unit.toUpperCase()}`;
}

/** "A100" of "NVIDIA A100 SXM4 80GB". */
const partOf = (name: string) => /\b(?:gb\d{3}|[ahbvltp]\d{1,4}[a-z]?|mi\d{3}[xa]?|\d{4}(?: ti)?|gaudi\d?)\b/i.exec(name)?.[0].toLowerCase();

/** What of a claim the text says; what it does not say is left out. */
export function claimIn(text: string, gpus: { id: string; name: string }[] = []): Said {
  let rest = ` ${text.normalize('NFKC').toLowerCase().replace(/(?<=\d),(?=\d{3})/g, '')} `;
  const said: Said = {};
  // The name of a GPU goes first: the 100 of "A100" and the 80 of "80GB" are no amounts.
  const named = gpus.filter(({ name }) => {
    const part = partOf(name);
    return part !== undefined && new RegExp(String.raw`(?<![a-z0-9])${part}(?![a-z0-9])`).test(rest);
  });
  if (named.length > 0) {
    const size = /\b(\d+)\s*gb\b/.exec(rest)?.[1];
    const rank = ({ id }: { id: string }) => (size && id.includes(`${size}gb`) ? 2 : 0) + (id.includes('sxm') ? 1 : 0) + (!size && id.includes('80gb') ? 0.5 : 0);
    const best = named.toSorted((a, b) => rank(b) - rank(a))[0]!;
    said.gpu = best.id;
    const part = partOf(best.name)!;
    const count = new RegExp(String.raw`${number}\s*(?:[x×*]|张|块|卡|个)?\s*(?:nvidia\s*|amd\s*)?${part}|${part}\s*[x×*]\s*${number}`).exec(rest);
    const amount = count?.[1] ?? count?.[2];
    if (amount) said.gpus = amount;
    rest = rest.replace(count?.[0] ?? part, ' ').replace(/\d+\s*gb\b/g, ' ');
  }
  for (const { key, pattern, write } of patterns) {
    const found = said[key] === undefined ? pattern.exec(rest) : null;
    if (!found) continue;
    said[key] = write(found[1]!, found[2] ?? '');
    rest = rest.replace(found[0], ' ');
  }
  return said;
}

/** Enough for the text to be a claim and no search for a model. */
export const isClaim = (said: Said) => ['tokens', 'gpus', 'days', 'mfu', 'tflops_per_gpu'].filter((key) => said[key as Key] !== undefined).length + Number(said.parameters !== undefined) >= 2;
