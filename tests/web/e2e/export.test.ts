// What leaves the page: files with the core's own figures, pictures that need nothing of the page, and paper.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { Estimate } from '$page/core/types';
import { field, openReady, startSite, untilText, verdictFigure } from './support/site';

startSite();

async function exported(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(`#export button:text-is("${name}")`)]);
  return { name: file.suggestedFilename(), bytes: await readFile((await file.path())!) };
}

test('scenario, result and ledger say the same', async () => {
  const { page, complaints } = await openReady();
  const before = await page.textContent(verdictFigure);
  await page.fill(field('/training/micro_batch_size'), '2');
  await untilText(page, verdictFigure, before);
  const scenario = await exported(page, 'scenario JSON');
  expect(scenario.name).toBe('meshgauge-llama-3-1-70b.json');
  expect(JSON.parse(scenario.bytes.toString())).toMatchObject({ schema_version: 1, model: 'llama-3.1-70b', training: { micro_batch_size: 2 } });
  const { memory } = JSON.parse((await exported(page, 'result JSON')).bytes.toString()) as Estimate;
  const [head, ...rows] = (await exported(page, 'ledger CSV')).bytes.toString().trimEnd().split('\r\n');
  expect(head).toBe('stage,id,name,category,bytes,phases,formula,values,source');
  expect(rows).toHaveLength(memory.stages.reduce((sum, { lines, other_lines }) => sum + lines.length + other_lines.length, 0));
  expect(rows[0]).toContain(`,${memory.stages[0]!.lines[0]!.bytes},`);
  expect(complaints).toEqual([]);
});

test.each(['memory', 'step time'])('the picture of %s stands by itself', async (part) => {
  const { page, complaints } = await openReady();
  const svg = (await exported(page, `${part} SVG`)).bytes.toString();
  expect(svg).toContain('Llama 3.1 70B · 64 × DGX H100');
  expect(svg).toContain(part === 'memory' ? '79.1 GiB usable' : 'TP communication');
  expect(svg).not.toMatch(/class=|var\(--/);
  const png = (await exported(page, `${part} PNG`)).bytes;
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const size = /width="(\d+)" height="(\d+)"/.exec(svg)!;
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2 * Number(size[1]), 2 * Number(size[2])]);
  expect(complaints).toEqual([]);
});

test('paper has scenario, verdict, charts and ledger, in light colours', async () => {
  const { page } = await openReady('', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  for (const shown of ['.scenario h2', '#verdict', '.memory .chart', '.step .chart', '#panel-memory table', '.printed']) expect(await page.isVisible(shown), shown).toBe(true);
  for (const hidden of ['form.inputs', '.tabs .bar', '.advice ul', '#export']) expect(await page.isVisible(hidden), hidden).toBe(false);
  expect(await page.textContent('.printed')).toContain('http');
  expect(await page.getAttribute('html', 'data-theme')).toBe('light');
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  expect(await page.getAttribute('html', 'data-theme')).toBe('dark');
});

test.each([
  ['step', 'timeline', 'Stage 0'],
  ['communication', 'curve', 'GB/s'],
])('a chart of the tab %s leaves as SVG and PNG', async (tab, part, words) => {
  const { page, complaints } = await openReady(`#v1;tab=${tab}`);
  for (const kind of ['SVG', 'PNG']) {
    const button = page.locator(`#panel-${tab} section`, { has: page.locator(tab === 'step' ? '#timeline-heading' : '#message-curve-heading') }).locator(`[data-no-picture] button:text-is("${kind}")`);
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(file.suggestedFilename()).toBe(`meshgauge-llama-3-1-70b-${part}.${kind.toLowerCase()}`);
    const bytes = await readFile((await file.path())!);
    if (kind === 'PNG') expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    else {
      const svg = bytes.toString();
      expect(svg).toContain(words);
      expect(svg).toContain('Llama 3.1 70B · 64 × DGX H100');
      expect(svg).not.toMatch(/class=|var\(--|>PNG</);
    }
  }
  expect(complaints).toEqual([]);
});
