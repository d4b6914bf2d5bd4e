// After the build: puts the default scenario's answer into dist/index.html, inlines the style sheet, writes the
// content security policy and the service worker, and prints what the page weighs.
import { createHash } from 'node:crypto';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { load } from 'meshgauge';
import { minifySync } from 'vite';
import { defaultScenario, defaultsOf, prerender } from '../.prerender/prerender.js';

const dist = new URL('../dist/', import.meta.url);
const text = (name) => readFile(new URL(name, dist), 'utf8');
const files = async () =>
  (await readdir(dist, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.split('/dist/')[1].replace(/^\/+/, ''))
    .sort();
const hash = (content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

const core = await load();
const ask = (request) => JSON.parse(core.apiText(JSON.stringify(request)));
const estimate = ask({ command: 'estimate', scenario: defaultScenario, explain: true });
if (!estimate.ok) throw new Error(`the default scenario is refused: ${JSON.stringify(estimate.issues)}`);
const only = (object, keys) => Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
const entry = (kind, id) => only(ask({ command: 'catalog', kind, id }).entry, ['id', 'name', 'layers', 'hidden', 'heads', 'kv_heads', 'gpu', 'gpus_per_node']);
const describe = ask({ command: 'describe' });
const boot = {
  scenario: defaultScenario,
  describe: {
    ...describe,
    fields: describe.fields.map((field) => only(field, ['path', 'type', 'unit', 'min', 'max', 'options', 'default'])),
    engines: describe.engines.map((engine) => only(engine, ['id', 'name', 'zero_stages'])),
  },
  estimate,
  defaults: defaultsOf(defaultScenario, ask),
  model: entry('models', defaultScenario.model),
  system: entry('systems', defaultScenario.cluster.system),
};

const sheet = (await files()).find((name) => name.endsWith('.css'));
const style = (await text(sheet)).trim();
const bootName = 'boot.json';
await writeFile(new URL(bootName, dist), JSON.stringify(boot));
const beforePaint = minifySync('before-paint.js', await readFile(new URL('../src/before-paint.js', import.meta.url), 'utf8')).code;
const chooseLanguage = `if(document.documentElement.lang!=='en'){const page=document.getElementById('page');page.replaceChildren(document.getElementById('chinese').content.cloneNode(true))}`;
const english = await prerender(boot, 'en');
const chinese = await prerender(boot, 'zh');
let html = (await text('index.html'))
  .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
  .replace('<!--icon-->', `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(await text('icon.svg'))}" />`)
  .replace('<!--boot-->', () => `<link rel="preload" href="./${bootName}" as="fetch" crossorigin="anonymous" /><style>${style}</style>`)
  .replace('<!--before-paint-->', () => `<script>${beforePaint}</script>`)
  .replace('<!--page-->', () => english)
  .replace('<!--chinese-->', () => `<template id="chinese">${chinese}</template><script>${chooseLanguage}</script>`);
const inline = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => hash(script));
const policy = [
  "default-src 'none'",
  `script-src 'self' 'wasm-unsafe-eval' ${inline.join(' ')}`,
  `style-src 'self' ${hash(style)}`,
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
html = html.replace('<!--csp-->', `<meta http-equiv="Content-Security-Policy" content="${policy}" />`);
await writeFile(new URL('index.html', dist), html);
await rm(new URL(sheet, dist));
await rm(new URL('../.prerender', import.meta.url), { recursive: true });

const cached = ['./', ...(await files()).filter((name) => name !== 'index.html' && name !== 'sw.js')];
const version = createHash('sha256').update(html).digest('hex').slice(0, 12);
const worker = (await readFile(new URL('service-worker.js', import.meta.url), 'utf8'))
  .replace("'VERSION'", `'${version}'`)
  .replace("['FILES']", JSON.stringify(cached));
await writeFile(new URL('sw.js', dist), worker);

// The first load: what index.html names, what that imports, one language, and the core that answers key strokes.
const names = await files();
const first = new Set(['index.html', bootName, ...names.filter((name) => /\/(worker-|meshgauge-(?!all))/.test(name))]);
const follow = async (name) => {
  if (!name || first.has(name)) return;
  first.add(name);
  for (const [, other] of (await text(name)).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) await follow(`assets/${other}`);
};
for (const [, name] of html.matchAll(/<(?:script|link)[^>]*(?:src|href)="\.\/([^"]+\.js)"/g)) await follow(name);
for (const name of names) if (/\/(zh|core-zh)-/.test(name)) await follow(name); // the language that takes more

const most = 350 * 1024;
const sizes = await Promise.all(names.map(async (name) => [name, gzipSync(await readFile(new URL(name, dist)), { level: 9 }).length]));
const report = (title, part) => {
  const total = part.reduce((sum, [, size]) => sum + size, 0);
  for (const [name, size] of part) console.log(`${(size / 1024).toFixed(1).padStart(7)} KB  ${name}`);
  console.log(`${(total / 1024).toFixed(1).padStart(7)} KB  ${title}, gzip\n`);
  return total;
};
const total = report('first load', sizes.filter(([name]) => first.has(name)));
report('later, kept for use without a network', sizes.filter(([name]) => !first.has(name)));
if (total > most) throw new Error(`the first load takes ${total} bytes, ${most} are allowed`);
