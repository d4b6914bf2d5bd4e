// The parts of the page come to life one by one: between two of them the browser paints, and hears who is at the page.
// Whoever touches a part that still sleeps wakes it at once.
import type { Component } from 'svelte';

interface Sleeping {
  place: HTMLElement;
  start: () => void;
}

/** By name, for the prerendering, which puts each into its place. */
export const parts = new Map<string, { of: Component<Record<string, unknown>>; props: Record<string, unknown> }>();
const sleeping: Sleeping[] = [];
let loading = true;

/** A moment for the browser. */
export function pause(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  return scheduler?.yield ? scheduler.yield() : new Promise((next) => setTimeout(next));
}

/** What appears later than the page starts at once. Returns how to forget it. */
export function wake(part: Sleeping): () => void {
  if (!loading) part.start();
  else sleeping.push(part);
  return () => forget(part);
}

function forget(part: Sleeping): void {
  const at = sleeping.indexOf(part);
  if (at >= 0) sleeping.splice(at, 1);
}

function start(part: Sleeping): void {
  forget(part);
  part.start();
}

/** Resolves once all of them are awake, those inside others included. */
export async function wakeAll(): Promise<void> {
  const touched = ({ target }: Event) => sleeping.filter(({ place }) => place.contains(target as Node)).forEach(start);
  const events = ['pointerdown', 'focusin', 'keydown'];
  for (const event of events) addEventListener(event, touched, { capture: true });
  await pause();
  for (let next = sleeping[0]; next; next = sleeping[0]) {
    start(next);
    await pause();
  }
  loading = false;
  for (const event of events) removeEventListener(event, touched, { capture: true });
}
