// Work that can wait: one piece after another, each when the browser has nothing better to do.

const idle = () => new Promise<unknown>((rest) => ('requestIdleCallback' in window ? requestIdleCallback(rest, { timeout: 1000 }) : setTimeout(rest, 50)));
let last: Promise<unknown> = Promise.resolve();

export function whenIdle<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(idle).then(work);
  last = done.catch(() => undefined);
  return done;
}
