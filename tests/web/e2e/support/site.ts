// What the tests of the page share: one server and one browser a file, a fresh context a test.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launch } from './browser';
import { serve, type Site } from './server';

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

export async function open(hash = '', options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  onTestFinished(() => context.close());
  await page.goto(site.url + hash);
  return { page, complaints };
}

/** Opened, the core running and everything fetched that will ever be. */
export async function openReady(hash = '', options: BrowserContextOptions = {}): Promise<Opened> {
  const opened = await open(hash, options);
  await opened.page.waitForLoadState('networkidle');
  await opened.page.waitForFunction(() => !document.documentElement.hasAttribute('data-waiting'));
  return opened;
}

export const field = (name: string) => `[id="field-${name}"]`;
export const verdictFigure = '#verdict .amount b';
export const verdictWord = '#verdict .word';
