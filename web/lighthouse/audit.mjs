// Audits the built page with Lighthouse on a phone (its slow network and processor) and on a desk, in English and light.
// Fails where accessibility or best practices come under 95. Performance is printed alone: a time is never a test.
// CHROMIUM_PATH=$(command -v chromium) npm run lighthouse
import { fileURLToPath } from 'node:url';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';
import { serve } from '../serve.mjs';

const wanted = 95;
const required = ['accessibility', 'best-practices'];
const onlyCategories = ['performance', ...required];
const metrics = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift', 'speed-index'];

const site = await serve(fileURLToPath(new URL('../dist', import.meta.url)), { gzip: true });
const chrome = await launch({
  chromePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  chromeFlags: ['--no-sandbox', '--headless=new', '--disable-gpu', '--lang=en-US'],
});

/** Of one category, what took points. */
function shortcomings({ audits }, { auditRefs }) {
  const lost = auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id].score ?? 1) < 0.9);
  return lost.map(({ id }) => `    ${id}: ${audits[id].title}${audits[id].displayValue ? ` (${audits[id].displayValue})` : ''}`);
}

let failed = false;
for (const [name, config] of [['mobile', undefined], ['desktop', desktopConfig]]) {
  const { lhr } = await lighthouse(site.url, { port: chrome.port, onlyCategories, logLevel: 'error' }, config);
  console.log(`${name}, Lighthouse ${lhr.lighthouseVersion}`);
  if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
  for (const category of Object.values(lhr.categories)) {
    const score = Math.round(category.score * 100);
    console.log(`  ${String(score).padStart(3)}  ${category.title}`);
    for (const line of shortcomings(lhr, category)) console.log(line);
    failed ||= required.includes(category.id) && score < wanted;
  }
  console.log(`       ${metrics.map((id) => `${lhr.audits[id].title} ${lhr.audits[id].displayValue}`).join(', ')}\n`);
}
chrome.kill();
await site.close();
if (failed) throw new Error(`accessibility or best practices under ${wanted}`);
