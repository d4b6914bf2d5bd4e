// Files as people give them: by drop, by the chooser, by paste.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

export const logPath = (name: string) => fileURLToPath(new URL(`../../../data/logs/${name}`, import.meta.url));
export const logText = (name: string) => readFileSync(logPath(name), 'utf8');

export const drop = (page: Page, selector: string, files: { name: string; text: string }[]) =>
  page.evaluate(
    ([where, given]) => {
      const dataTransfer = new DataTransfer();
      for (const { name, text } of given) dataTransfer.items.add(new File([text], name));
      document.querySelector(where)!.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    [selector, files] as const,
  );

/** `into`: a field; else the page. */
export const paste = (page: Page, text: string, into = 'body') =>
  page.evaluate(([content, where]) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', content);
    document.querySelector(where)!.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, [text, into] as const);
