// What axe finds on the page.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

export async function violations(page: Page): Promise<string[]> {
  // What is being computed anew is dimmed for a moment; what stays dimmed is judged as it is.
  await page
    .waitForFunction(() => ![...document.querySelectorAll('.stale')].some((element) => element.checkVisibility()), undefined, { timeout: 10_000 })
    .catch(() => undefined);
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: run } = window as unknown as { axe: typeof import('axe-core') };
    const { violations: found } = await run.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return found.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`));
  });
}
