// Measures the built page in Chromium, by the browser's own trace: milliseconds from a key, by the system's time stamp,
// to the end of the painting of the verdict's new figures, to the moment when that frame is on the screen, and to the
// end of the painting of the charts; and how much the layout shifted meanwhile.
// CHROMIUM_PATH=$(command -v chromium) npm run measure [tab ...]
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../serve.mjs';

const strokes = 60;
const tabs = process.argv.slice(2);
const site = await serve(fileURLToPath(new URL('../dist', import.meta.url)), { base: '/' });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const devtools = await browser.newBrowserCDPSession();

/** In the page: marks in the trace where figures change. */
function markChanges() {
  const mark = (name, part) => new MutationObserver(() => performance.mark(name)).observe(document.querySelector(part), { subtree: true, characterData: true, childList: true, attributes: true });
  mark('figures', '#verdict');
  mark('charts', '.charts');
  // Shifts of what was typed count too, so hadRecentInput is not looked at.
  window.shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shift += value))).observe({ type: 'layout-shift' });
}

async function traced(work) {
  const events = [];
  const collect = ({ value }) => events.push(...value);
  devtools.on('Tracing.dataCollected', collect);
  const complete = new Promise((done) => devtools.once('Tracing.tracingComplete', done));
  await devtools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink.user_timing'] } });
  await work();
  await devtools.send('Tracing.end');
  await complete;
  devtools.off('Tracing.dataCollected', collect);
  return events.sort((a, b) => a.ts - b.ts);
}

/** Of each key that changed figures. The browser times an event from the system's time stamp to the next frame shown. */
function timesOf(events) {
  const named = (name) => events.filter((event) => event.name === name);
  const [figures, charts, commits] = ['figures', 'charts', 'Commit'].map(named);
  const timings = named('EventTiming');
  const keys = timings.filter(({ ph, args }) => ph === 'b' && args.data.type === 'keydown');
  const times = { figures: [], screen: [], charts: [] };
  keys.forEach((key, i) => {
    const until = keys[i + 1]?.ts ?? Infinity;
    const firstOf = (list, from) => list.find(({ ts }) => ts > from && ts < until);
    const paintOf = (mark) => mark && firstOf(commits, mark.ts);
    const painted = paintOf(firstOf(figures, key.ts));
    if (!painted) return;
    times.figures.push((painted.ts + painted.dur - key.ts) / 1000);
    const shown = timings.find(({ ph, id2, id, ts }) => ph === 'e' && ts >= key.ts && (id2?.local ?? id) === (key.id2?.local ?? key.id));
    if (painted === firstOf(commits, key.ts) && shown) times.screen.push((shown.ts - key.ts) / 1000);
    const last = paintOf(firstOf(charts, key.ts));
    if (last) times.charts.push((last.ts + last.dur - key.ts) / 1000);
  });
  return times;
}

async function measure(tab) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(120_000);
  await page.goto(site.url);
  await page.waitForSelector('html[data-complete]:not([data-waiting])', { state: 'attached' });
  await page.click(`#tab-${tab}`);
  await page.waitForTimeout(1500);
  const field = page.locator('[id="field-/training/sequence_length"]');
  await field.fill('4096');
  await page.waitForTimeout(500);
  await field.focus();
  await page.evaluate(markChanges);
  const events = await traced(async () => {
    for (let i = 0; i < strokes; i++) {
      await page.keyboard.press('End');
      await page.waitForTimeout(40); // that key has its frame, too
      // 4096 and 40960 by turns: every stroke is a scenario.
      if (i % 2) await page.keyboard.press('Backspace');
      else await page.keyboard.type('0');
      await page.waitForTimeout(100);
    }
  });
  const shift = await page.evaluate(() => window.shift);
  await page.close();
  const { figures, screen, charts } = timesOf(events);
  const said = (times) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(1);
    return `${at(0.5)} / ${at(0.9)} / ${at(1)}`.padEnd(22);
  };
  const share = `${screen.length} of ${figures.length}`.padEnd(18);
  console.log(`${tab.padEnd(15)}${share}${said(figures)}${said(screen)}${said(charts)}${shift.toFixed(4)}`);
}

console.log("median / 90 % / slowest, ms; the key's own frame is the first after it");
console.log(`${'tab'.padEnd(15)}${'in its own frame'.padEnd(18)}${['verdict painted', 'that on the screen', 'charts painted'].map((head) => head.padEnd(22)).join('')}shift`);
for (const tab of tabs.length > 0 ? tabs : ['memory', 'step', 'communication', 'compare', 'learn']) await measure(tab);
await browser.close();
await site.close();
