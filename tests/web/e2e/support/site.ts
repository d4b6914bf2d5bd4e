// What the tests of the page share: one server and one browser a file, a fresh context a test. They wait for what must
// come, never for a time: the machine may be slow and busy.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
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
  onTestFinished(() => context.close());
  await page.goto(url + hash);
  return { page, complaints };
}

/** The core runs and everything is fetched that will ever be. */
export const ready = (page: Page) => page.waitForSelector('html[data-complete]:not([data-waiting])', { state: 'attached' });

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

/** Until the text there is another one, or the one expected. */
export const untilText = (page: Page, selector: string, was: string | null) =>
  page.waitForFunction(([where, old]) => document.querySelector(where!)?.textContent !== old, [selector, was]);
export const untilTextIs = (page: Page, selector: string, text: string | null) =>
  page.waitForFunction(([where, now]) => document.querySelector(where!)?.textContent === now, [selector, text]);
export const untilValue = (page: Page, selector: string, value: string) =>
  page.waitForFunction(([where, now]) => (document.querySelector(where!) as HTMLInputElement).value === now, [selector, value]);
export const untilHash = (page: Page, part: string) => page.waitForFunction((expected) => location.hash.includes(expected), part);
