// Measurements given by drop, by the chooser and by paste; what is fitted, applied, kept, and taken back.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { log, logOf } from '$page/tabs/measured/example';
import { drop, logPath, paste } from './support/files';
import { openReady, reload, startSite, untilText, untilTextIs } from './support/site';

startSite();
const panel = '#panel-measured';
const stepTile = '#verdict .tile b';
const chosen = `${panel} input[type=file]`;
const applied = 'main > .summary > p';

const openTab = (page: Page) => page.click('#tab-measured');
const fitted = (page: Page) => page.waitForSelector(`${panel} .learned:not(.busy) polyline`);

async function apply(page: Page): Promise<{ before: string; after: string }> {
  const before = (await page.textContent(stepTile))!;
  await page.setInputFiles(chosen, { name: 'all_reduce.log', mimeType: 'text/plain', buffer: Buffer.from(log) });
  await fitted(page);
  await page.click(`${panel} .primary`);
  await page.waitForSelector(applied);
  await untilText(page, stepTile, before);
  return { before, after: (await page.textContent(stepTile))! };
}

test('a chosen log is fitted, applied, there after a reload, and taken back', async () => {
  const { page, complaints } = await openReady();
  await openTab(page);
  const { before, after } = await apply(page);
  expect(await page.textContent(applied)).toContain('48 measurements');
  await reload(page);
  await page.waitForSelector(applied);
  await untilTextIs(page, stepTile, after);
  await page.click(`${applied} button:has-text("Stop")`);
  await untilTextIs(page, stepTile, before);
  expect(complaints).toEqual([]);
});

test('the effect shown before applying is the effect', async () => {
  const { page } = await openReady();
  await openTab(page);
  await page.setInputFiles(chosen, { name: 'all_reduce.log', mimeType: 'text/plain', buffer: Buffer.from(log) });
  await fitted(page);
  const row = `${panel} [aria-labelledby=effect-heading] tbody tr >> nth=0`;
  const [, fittedStep] = await page.locator(`${row} >> td`).allTextContents();
  await page.click(`${panel} .primary`);
  await page.waitForSelector(applied);
  await page.waitForFunction(([where, step]) => document.querySelector(where!)!.textContent!.startsWith(step!.split(/\s/)[0]!), [stepTile, fittedStep!]);
});

test('dropped logs say what they hold; what none says is asked for', async () => {
  const { page } = await openReady();
  await openTab(page);
  await drop(page, `${panel} .drop`, [
    { name: 'torn.log', text: log.slice(0, log.lastIndexOf('     float') + 14) },
    { name: 'notes.txt', text: 'buy milk\n' },
    { name: 'silent.log', text: log.replace(/^# {2}Rank.*\n/gm, '') },
  ]);
  await page.waitForSelector(`${panel} li:has-text("notes.txt") >> text=Not recognised`);
  await page.click(`${panel} li:has-text("torn.log") summary`);
  expect(await page.textContent(`${panel} li:has-text("torn.log") details`)).toMatch(/line \d+: /);
  await page.fill(`${panel} label:has-text("Ranks a node") input`, '8');
  await page.press(`${panel} label:has-text("Ranks a node") input`, 'Enter');
  await fitted(page);
  expect(await page.textContent(`${panel} [aria-labelledby=fits-heading] tbody tr`)).toContain('fitted');
  await page.click(`${panel} button:has-text("as table")`);
  await page.waitForSelector(`${panel} [aria-labelledby=curve-heading] tbody tr >> nth=23`);
});

test('a pasted log is recognised anywhere and offered', async () => {
  const { page } = await openReady();
  await paste(page, log);
  await page.waitForSelector('aside .bar >> text=nccl-tests: all_reduce · 8 ranks');
  // Whether that is normal, and by which algorithm, is said at once.
  expect(await page.textContent('aside .bar .judged')).toMatch(/Normal: all_reduce, 8 ranks: \d+\sGB\/s, 8\sGiB/);
  expect(await page.textContent('aside .bar')).toMatch(/NVLS: \w+: normal is \d+ to \d+ GB\/s.*Ring, without NVLS: \w+: normal is \d+ to \d+ GB\/s/);
  await page.click('aside .bar button:has-text("Calibrate")');
  await fitted(page);
  expect(await page.getAttribute('#tab-measured', 'aria-selected')).toBe('true');
});

test('a training log is a run of the scenario unless it is said not to be', async () => {
  const { page } = await openReady();
  await openTab(page);
  await page.setInputFiles(chosen, logPath('megatron.txt'));
  await page.waitForSelector(`${panel} h2:has-text("Training log")`);
  await page.click(`${panel} label:has-text("The training log is a run")`);
  await page.waitForSelector(`${panel} h2:has-text("Training log")`, { state: 'detached' });
});

test('figures of a run of one’s own show what must be off', async () => {
  const { page } = await openReady();
  await openTab(page);
  await page.fill(`${panel} label:has-text("Step time") input`, 'fast');
  await page.click(`${panel} form button:has-text("Compare")`);
  await page.waitForSelector(`${panel} [role=alert]:has-text("“fast” is no time")`);
  await page.fill(`${panel} label:has-text("Step time") input`, '20 s');
  await page.fill(`${panel} label:has-text("Peak reserved") input`, '60 GiB');
  await page.click(`${panel} form button:has-text("Compare")`);
  await page.waitForSelector(`${panel} h2:has-text("what must be off")`);
  expect(await page.textContent(`${panel} .learned`)).toContain('matrix products');
  await page.click(`${panel} .primary`);
  await page.waitForFunction((where) => document.querySelector(where)!.textContent!.startsWith('20.0'), stepTile);
});

test('a profile is exported, removed, and comes back from its file', async () => {
  const { page } = await openReady();
  await openTab(page);
  await apply(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`${panel} .actions button:has-text("Export")`)]);
  const text = readFileSync(await download.path(), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ schema_version: 1, fitted_from: { files: [{ file: 'all_reduce.log' }] } });
  await page.click(`${panel} .actions button:has-text("Remove")`);
  await page.waitForSelector(applied, { state: 'detached' });
  await drop(page, `${panel} .drop`, [{ name: 'mine.json', text }]);
  await page.click(`${panel} .actions button:has-text("Apply")`);
  await page.waitForSelector(applied);
  await drop(page, `${panel} .drop`, [{ name: 'broken.json', text: '{"schema_version": 1, "name": "x", "hbm": 3}' }]);
  await page.waitForSelector(`${panel} [role=alert]:has-text("broken.json is no profile")`);
});

test('without IndexedDB everything works until the tab closes', async () => {
  const { page } = await openReady('', { before: () => Object.defineProperty(window, 'indexedDB', { value: undefined }) });
  await openTab(page);
  await apply(page);
  await page.waitForSelector(`${panel} >> text=Profiles are kept until this tab closes`);
});

test('another GPU’s profile is kept and not applied', async () => {
  const { page } = await openReady('#v1;m=llama-2-7b;c=dgx-a100-80gb*8;t=e:fsdp2');
  await openTab(page);
  const before = await page.textContent(stepTile);
  await page.setInputFiles(chosen, { name: 'h100.log', mimeType: 'text/plain', buffer: Buffer.from(log) });
  await fitted(page);
  await page.click(`${panel} .primary:has-text("Keep")`);
  await page.waitForSelector(`${panel} td:has-text("another GPU")`);
  expect(await page.textContent(stepTile)).toBe(before);
});

test('a slow log is called low, with what to look at', async () => {
  const { page } = await openReady();
  await openTab(page);
  await page.setInputFiles(chosen, { name: 'slow.log', mimeType: 'text/plain', buffer: Buffer.from(logOf(3)) });
  await page.waitForSelector(`${panel} [aria-labelledby=normal-heading] .low`);
  expect(await page.locator(`${panel} [aria-labelledby=normal-heading] .low ol li`).count()).toBeGreaterThan(0);
});
