// What the tests of the page share: one server and one browser a file, a fresh context a test. They wait for what must
// come, never for a time: the machine may be slow and busy.
import { load } from 'meshgauge';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Estimate, Scenario } from '$page/core/types';
import { verdictWords } from '$page/verdict/words';
import { launch } from './browser';
import { serve, type Site } from './server';

const patience = 120_000;
let site: Site;
let browser: Browser;

export function startSite(): void {
  beforeAll(async () => {
    [site, browser] = await Promise.all([serve(), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });
}

export const theSite = () => site;

export interface Opened {
  page: Page;
  /** What the console complained about, policy violations included. */
  complaints: string[];
}
export interface Options extends BrowserContextOptions {
  /** Another site than the file's own. */
  url?: string;
  /** Runs in the page before any of its scripts. */
  before?: () => void;
}

export async function open(hash = '', { url = site.url, before, ...options }: Options = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  context.setDefaultTimeout(patience);
  if (before) await context.addInitScript(before);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const asked = new Set<string>();
  pending.set(page, asked);
  page.on('request', (request) => asked.add(request.url()));
  page.on('requestfinished', (request) => asked.delete(request.url()));
  page.on('requestfailed', (request) => asked.delete(request.url()));
  onTestFinished(() => context.close());
  await page.goto(url + hash);
  return { page, complaints };
}

const pending = new WeakMap<Page, Set<string>>();

/** The core runs and everything is fetched that will ever be; if not, what it waits for. */
export async function ready(page: Page): Promise<void> {
  try {
    await page.waitForSelector('html[data-complete]:not([data-waiting])', { state: 'attached' });
  } catch (error) {
    const alive = await page.evaluate(() => document.querySelector('html')!.outerHTML.slice(0, 300) + (document.querySelector('aside')?.textContent ?? '')).catch(String);
    throw new Error(`not ready: ${alive}; pending: ${[...(pending.get(page) ?? [])].join(' ')}`, { cause: error });
  }
}

export async function openReady(hash = '', options: Options = {}): Promise<Opened> {
  const opened = await open(hash, options);
  await ready(opened.page);
  return opened;
}

export async function reload(page: Page): Promise<void> {
  await page.reload();
  await ready(page);
}

export const field = (name: string) => `[id="field-${name}"]`;
export const issue = (name: string) => `[id="issue-${name}"]`;
export const verdictFigure = '#verdict .amount b';
export const verdictWord = '#verdict .word';

/** What the verdict must say of a scenario, by the core itself. */
export async function verdictOn(scenario: Scenario): Promise<{ word: string; figure: string }> {
  return verdictWords(JSON.parse((await load()).apiText(JSON.stringify({ command: 'estimate', scenario }))) as Estimate);
}
export const twoA100: Scenario = { model: 'llama-2-7b', cluster: { system: 'dgx-a100-80gb', gpus: 2 }, training: { engine: 'fsdp2' } };

/** Until the text there is another one, or the one expected. */
export const untilText = (page: Page, selector: string, was: string | null) =>
  page.waitForFunction(([where, old]) => document.querySelector(where!)?.textContent !== old, [selector, was]);
export const untilTextIs = (page: Page, selector: string, text: string | null) =>
  page.waitForFunction(([where, now]) => document.querySelector(where!)?.textContent === now, [selector, text]);
export const untilValue = (page: Page, selector: string, value: string) =>
  page.waitForFunction(([where, now]) => (document.querySelector(where!) as HTMLInputElement).value === now, [selector, value]);
export const untilHash = (page: Page, part: string) => page.waitForFunction((expected) => location.hash.includes(expected), part);
