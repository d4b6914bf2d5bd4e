// After the build: the same page as one HTML file that runs from a disk, without a server: scripts, both modules of the
// core and the first answer are in it.
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, minifySync } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = here('../dist-single/');
const bundle = here('../.single/');
await build({
  configFile: here('../vite.config.ts'),
  root: here('..'),
  logLevel: 'error',
  build: { outDir: bundle, rolldownOptions: { output: { codeSplitting: false } } },
});

const names = await readdir(`${bundle}assets`);
const asset = (pattern) => readFile(`${bundle}assets/${names.find((name) => pattern.test(name))}`);
const packed = (content) => gzipSync(content, { level: 9 }).toString('base64');
const main = String(await asset(/^index-.*\.js$/));
// A worker made of a text has no folder beside it: what it fetches is known by its name alone.
const worker = String(await asset(/^worker-.*\.js$/)).replaceAll('import.meta.url', '"https://meshgauge.invalid/"');
const files = {};
for (const name of names) if (name.endsWith('.wasm')) files[name] = packed(await readFile(`${bundle}assets/${name}`));
files['worker.js'] = packed(worker);
files['boot.json'] = packed(await readFile(here('../dist/boot.json')));

const shim = minifySync('single-file-shim.js', await readFile(here('single-file-shim.js'), 'utf8')).code;
const closed = (script) => script.replaceAll('</script', '<\\/script');
const scripts = {
  data: closed(`globalThis.meshgaugeFiles=${JSON.stringify(files)}`),
  shim: closed(shim),
  main: closed(main),
};
const hash = (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
let html = await readFile(here('../dist/index.html'), 'utf8');
const tag = /<script type="module"[^>]*><\/script>/;
if (!tag.test(html)) throw new Error('dist/index.html has no module script');
html = html
  .replace(tag, '')
  .replace(/<link rel="(?:modulepreload|preload|manifest)"[^>]*>\s*/g, '')
  .replace('</body>', () => `<script>${scripts.data}</script><script>${scripts.shim}</script><script type="module">${scripts.main}</script></body>`)
  .replace(/script-src 'self' 'wasm-unsafe-eval'/, `script-src 'wasm-unsafe-eval' blob: ${Object.values(scripts).map(hash).join(' ')}`)
  .replace("connect-src 'self'", 'connect-src blob:')
  .replace("worker-src 'self'", 'worker-src blob:');
await mkdir(out, { recursive: true });
await writeFile(`${out}meshgauge.html`, html);
await rm(bundle, { recursive: true });
console.log(`${(html.length / 1024).toFixed(0)} KB  dist-single/meshgauge.html`);
