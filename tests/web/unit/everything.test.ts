// The order of questions to the module with every command, without a browser: the worker is a stand-in that answers
// when told to.
import { Everything } from '$page/core/everything';
import type { Thread } from '$page/core/thread';

interface Told {
  thread: Thread;
  asked: { request: object; answer: (value: unknown) => void; fail: (reason: Error) => void }[];
  stopped: boolean;
}

function setting(starts: () => Promise<void> = () => Promise.resolve()) {
  const threads: Told[] = [];
  const everything = new Everything(() => {
    const told: Told = { asked: [], stopped: false } as unknown as Told;
    const ask = (request: object) => new Promise((answer, fail) => told.asked.push({ request, answer, fail }));
    const service = { ask } as unknown as Thread['service'];
    told.thread = { service, started: starts(), broken: new Promise<never>(() => {}), stop: () => (told.stopped = true) };
    threads.push(told);
    return told.thread;
  });
  return { everything, threads };
}
const settle = () => new Promise((rest) => setTimeout(rest, 0));

test('nothing is loaded before something is asked, and then once', async () => {
  const { everything, threads } = setting();
  expect(threads).toHaveLength(0);
  const answers = [everything.ask({ n: 1 }), everything.ask({ n: 2 })];
  await settle();
  expect(threads).toHaveLength(1);
  expect(threads[0]!.asked.map(({ request }) => request)).toEqual([{ n: 1 }]);
  threads[0]!.asked[0]!.answer('one');
  await settle();
  threads[0]!.asked[1]!.answer('two');
  expect(await Promise.all(answers)).toEqual(['one', 'two']);
});

test('what nobody waits for any more is not asked', async () => {
  const { everything, threads } = setting();
  const gone = new AbortController();
  const first = everything.ask({ n: 1 });
  const second = everything.ask({ n: 2 }, gone.signal);
  const third = everything.ask({ n: 3 });
  gone.abort(new Error('changed'));
  await expect(second).rejects.toThrow('changed');
  await settle();
  threads[0]!.asked[0]!.answer('one');
  await settle();
  expect(threads[0]!.asked[1]!.request).toEqual({ n: 3 });
  threads[0]!.asked[1]!.answer('three');
  expect([await first, await third]).toEqual(['one', 'three']);
});

test('a long computation that nobody waits for ends with its worker, and the next question starts another', async () => {
  const { everything, threads } = setting();
  const gone = new AbortController();
  const long = everything.ask({ n: 1 }, gone.signal);
  await settle();
  gone.abort(new Error('changed'));
  await expect(long).rejects.toThrow('changed');
  const next = everything.ask({ n: 2 });
  await vi.waitUntil(() => threads[1]?.asked.length === 1);
  expect(threads[0]!.stopped).toBe(true);
  threads[1]!.asked[0]!.answer('two');
  expect(await next).toBe('two');
});

test('a short one may finish: the worker stays', async () => {
  const { everything, threads } = setting();
  const gone = new AbortController();
  const short = everything.ask({ n: 1 }, gone.signal);
  await settle();
  gone.abort(new Error('changed'));
  await expect(short).rejects.toThrow('changed');
  threads[0]!.asked[0]!.answer('one');
  const next = everything.ask({ n: 2 });
  await vi.waitUntil(() => threads[0]!.asked.length === 2);
  threads[0]!.asked[1]!.answer('two');
  expect(await next).toBe('two');
  expect(threads[0]!.stopped).toBe(false);
});

test('a module that did not load is said, and asking again loads it anew', async () => {
  const starts = [() => Promise.reject(new Error('404')), () => Promise.resolve()];
  const { everything, threads } = setting(() => starts.shift()!());
  await expect(everything.ask({ n: 1 })).rejects.toThrow('404');
  const again = everything.ask({ n: 1 });
  await settle();
  threads[1]!.asked[0]!.answer('one');
  expect(await again).toBe('one');
});
