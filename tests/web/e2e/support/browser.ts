// A real Chromium, found by CHROMIUM_PATH or under its usual names.
import { accessSync, constants } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function find(): string {
  const folders = (process.env.PATH ?? '').split(':').filter(Boolean);
  const candidates = [process.env.CHROMIUM_PATH, ...folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))];
  for (const candidate of candidates) {
    try {
      if (candidate) return accessSync(candidate, constants.X_OK), candidate;
    } catch {
      continue;
    }
  }
  throw new Error(`no Chromium: set CHROMIUM_PATH, or install one of ${names.join(', ')}`);
}

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: find(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
