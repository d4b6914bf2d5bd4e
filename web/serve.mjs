// Serves a folder of static files: node serve.mjs [FOLDER] [PORT]. The tests serve the built page with it, too.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

/**
 * Listens on this machine alone. Port 0 takes any free one.
 * @param {string} folder
 * @param {{ port?: number, base?: string, gzip?: boolean, refuse?: (name: string) => boolean }} [options]
 * `base`: the path it is served under; `gzip`: compressed once, as static hosts answer
 */
export async function serve(folder, { port = 0, base = '/', gzip = false, refuse = () => false } = {}) {
  const packed = new Map();
  const pack = async (/** @type {string} */ name) => packed.get(name) ?? packed.set(name, gzipSync(await readFile(join(folder, name)))).get(name);
  const server = createServer(async (request, response) => {
    try {
      const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
      const name = normalize(path.slice(base.length) || 'index.html');
      if (!path.startsWith(base) || name.startsWith('..') || refuse(name)) return response.writeHead(404).end();
      const headers = { 'content-type': types[extname(name)] ?? 'application/octet-stream', ...(gzip && { 'content-encoding': 'gzip' }) };
      response.writeHead(200, headers).end(await (gzip ? pack(name) : readFile(join(folder, name))));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening, failed) => server.once('error', failed).listen(port, '127.0.0.1', () => listening(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}${base}`,
    close: () => new Promise((closed) => (server.closeAllConnections(), server.close(closed))),
  };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder = fileURLToPath(new URL('dist', import.meta.url)), port = '8080'] = process.argv.slice(2);
  const { url } = await serve(folder, { port: Number(port) });
  console.log(`meshgauge: ${url}  (Ctrl+C ends it)`);
}
