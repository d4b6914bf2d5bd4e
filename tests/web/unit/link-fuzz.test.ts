// Whatever is in a link: it opens as far as it is understood, what is not is named, and the address that the page then
// writes opens to the same. Made by a generator that draws the same on every machine.
import { defaultScenario } from '$page/state/default-scenario';
import { decode, encode, type Linked } from '$page/state/link';
import { pack } from '$page/state/pack';
import type { Scenario } from '$page/core/types';

/** Marsaglia's xorshift. */
function draws(seed: number) {
  let state = seed;
  const below = (bound: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
  return { below, one };
}

const links = [
  '#v1;m=llama-3.1-70b;c=dgx-h100*64,usd2.1;p=tp8,sp:on,pp4,sch:1f1b,z1;t=e:megatron,s8192,mb1,gb128,tok1e12;tab=learn',
  '#v1;m=gpt-2;c=gpu:rtx-4090-24gb*2,mem24e9,net:ib;p=cp2,cpk:ring,raf:off;t=prec:bf16,v:0.14,ft:lora;open=0.backward.mlp',
  '#v2;m=a%20b;c=*8;p=tp2,warp9;t=tok1e400,s-0,mb0x10;zz=1;tab=step',
];
const pieces = [';', '=', ',', '*', ':', '%', '%2A', '%3B', '%ud800', '%ed%a0%80', '%00', '#', '#v1', 'x=', 'a=', 'c=', 'p=', 'm=', 'gpu:',
  ':on', ':off', 'NaN', '-0', '1e999', '99999999999999999999', 'tp', '__proto__', '\ud800', '\u202e', '', ' '];
const keys = ['/model', '/model/__proto__', '/cluster', '/cluster/gpus', '/cluster/system', '/parallelism', '/parallelism/stage_layers',
  '/training', '/training/engine', '/training/a/b', '/run', '/run/days', '/schema_version', '/__proto__', '/__proto__/a', '/', '', 'model',
  '/constructor/prototype/a'];

function mutated(text: string, { below, one }: ReturnType<typeof draws>): string {
  let letters = text;
  for (let edits = 1 + below(5); edits > 0; edits -= 1) {
    const at = below(letters.length + 1);
    const piece = [() => one(pieces), () => String.fromCharCode(below(below(2) ? 128 : 65536)), () => letters.slice(below(letters.length + 1)).slice(0, below(40))][
      below(3)
    ]!();
    letters = letters.slice(0, at) + piece + letters.slice(at + (below(2) ? below(9) : 0));
  }
  return letters;
}

function value({ below, one }: ReturnType<typeof draws>, depth = 0): unknown {
  const inner = () => value({ below, one }, depth + 1);
  const plain = [null, true, false, 0, -0, 1e308, 64, '', 'on', 'dgx-h100', 'a*b', 'gpu:a', ';m=b', '\ud800', '%', [], {}, ...keys];
  if (depth > 3 || below(3) > 0) return one(plain);
  return below(2) ? Array.from({ length: below(4) }, inner) : Object.fromEntries(Array.from({ length: below(4) }, () => [one(keys).slice(1), inner()]));
}

/** In any order, without sections that say nothing. */
const meaning = (scenario: Scenario | null | undefined) =>
  JSON.stringify(Object.entries(scenario ?? {}).filter(([, section]) => JSON.stringify(section) !== '{}').sort(), (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.entries(inner).sort() : inner,
  );

/** What the page relies on, and that a second opening finds what the first did. */
async function opens(link: string): Promise<Linked | null> {
  const linked = await decode(link);
  if (!linked) return null;
  expect(linked.unknown.every((part) => typeof part === 'string')).toBe(true);
  for (const scenario of [linked.scenario, linked.view.pinned]) {
    expect(scenario === null || scenario === undefined || (typeof scenario === 'object' && !Array.isArray(scenario))).toBe(true);
  }
  const again = await decode(await encode(linked.scenario, linked.view));
  expect(again?.unknown ?? []).toEqual([]);
  expect(meaning(again?.scenario)).toBe(meaning(linked.scenario));
  expect(meaning(again?.view.pinned)).toBe(meaning(linked.view.pinned));
  return linked;
}

test('thousands of damaged links open, each to a scenario or to none', async () => {
  const random = draws(20240229);
  let opened = 0;
  for (let i = 0; i < 3000; i += 1) {
    const link = mutated(random.one(links), random);
    try {
      opened += (await opens(link))?.scenario ? 1 : 0;
    } catch (problem) {
      throw new Error(`The link ${JSON.stringify(link)}`, { cause: problem });
    }
  }
  expect(opened).toBeGreaterThan(500);
  expect(opened).toBeLessThan(3000);
}, 60_000);

test('thousands of packed parts with anything in them open or are named', async () => {
  const random = draws(405);
  let named = 0;
  for (let i = 0; i < 1000; i += 1) {
    const pairs = Array.from({ length: random.below(4) }, () => [random.one(keys), value(random)]);
    const content = random.below(4) ? pairs : value(random);
    const packed = await pack(content);
    const part = random.below(6) ? packed : mutated(packed, random).replaceAll(';', '');
    try {
      named += (await opens(`#v1;m=gpt-2;${random.one(['x', 'a'])}=${part}`))?.unknown.length ? 1 : 0;
    } catch (problem) {
      throw new Error(`The part ${JSON.stringify(content)}, packed as ${part}`, { cause: problem });
    }
  }
  expect(named).toBeGreaterThan(100);
  expect(named).toBeLessThan(900);
}, 60_000);

test('what is packed too large or too deep is named', async () => {
  const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
  for (const content of [' '.repeat(2_000_000), nested(100), nested(1000)]) {
    expect((await decode(`#v1;m=gpt-2;x=${await pack([['/training/a', content]])}`))?.unknown).toEqual(['x']);
    expect((await decode(`#v1;m=gpt-2;a=${await pack({ model: content })}`))?.unknown).toEqual(['a']);
  }
  expect((await decode(`#v1;x=${await pack([['/training/a', nested(40)]])}`))?.unknown).toEqual([]);
});

test('a path in a packed part that is no text does not stop the page', async () => {
  expect((await decode(`#v1;m=gpt-2;x=${await pack([[['/model'], 1]])}`))?.unknown).toEqual(['x']);
});

test('what has no short form is written as it is', async () => {
  for (const odd of [
    { ...defaultScenario, training: null as never },
    { model: 5 as never, cluster: { system: 'dgx-h100', gpu: 'h100-sxm-80gb', gpus: '64' } },
    { model: 'gpt-2', cluster: { usd_per_gpu_hour: 2 } },
    { model: '\ud800', cluster: { system: 'a*b' }, training: { engine: 'on', 'a/b': 1 } },
  ]) {
    expect((await decode(await encode(odd)))?.scenario).toEqual(odd);
  }
});
