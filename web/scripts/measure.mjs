// Measures the built page in Chromium: milliseconds from a key stroke to the paint of its figures, and how much the
// layout shifted meanwhile. CHROMIUM_PATH=$(command -v chromium) npm run measure [tab ...]
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../serve.mjs';

const strokes = 60;
const tabs = process.argv.slice(2);
const site = await serve(fileURLToPath(new URL('../dist', import.meta.url)), { base: '/' });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

async function measure(tab) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(120_000);
  await page.goto(site.url);
  await page.waitForSelector('html[data-complete]:not([data-waiting])', { state: 'attached' });
  await page.click(`#tab-${tab}`);
  await page.waitForTimeout(1500);
  await page.evaluate(() => {
    const measured = { times: [], shift: 0 };
    window.measured = measured;
    let pressed = 0;
    addEventListener('input', (event) => (pressed = event.timeStamp), true);
    // A message posted as a frame begins is handled after its paint.
    const painted = new MessageChannel();
    painted.port1.onmessage = () => {
      if (pressed) measured.times.push(performance.now() - pressed);
      pressed = 0;
    };
    const observe = new MutationObserver(() => requestAnimationFrame(() => painted.port2.postMessage(null)));
    observe.observe(document.getElementById('verdict'), { subtree: true, characterData: true, childList: true });
    // Shifts of what was typed count too, so hadRecentInput is not looked at.
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (measured.shift += value))).observe({ type: 'layout-shift' });
  });
  const field = page.locator('[id="field-/training/sequence_length"]');
  await field.fill('4096');
  await page.waitForTimeout(500);
  await field.focus();
  for (let i = 0; i < strokes; i++) {
    await page.keyboard.press('End');
    // 4096 and 40960 by turns: every stroke is a scenario.
    if (i % 2) await page.keyboard.press('Backspace');
    else await page.keyboard.type('0');
    await page.waitForTimeout(80);
  }
  const { times, shift } = await page.evaluate(() => window.measured);
  await page.close();
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]?.toFixed(1);
  console.log(`${tab.padEnd(14)} ${times.length} strokes: median ${at(0.5)} ms, 90 % ${at(0.9)} ms, slowest ${at(1)} ms; layout shift ${shift.toFixed(4)}`);
}

for (const tab of tabs.length > 0 ? tabs : ['memory', 'step', 'communication', 'compare', 'learn']) await measure(tab);
await browser.close();
await site.close();
