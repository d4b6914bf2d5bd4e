// Build of the page, and its two test projects: unit (in Node) and e2e (real Chromium over the built page).
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import packageFile from './package.json' with { type: 'json' };

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Tests live outside this folder, their packages inside it. */
const packagesForTests: Plugin = {
  name: 'packages-for-tests',
  enforce: 'pre',
  resolveId(id, importer) {
    const bare = /^[a-z@]/.test(id) && !id.startsWith('$page');
    if (bare && importer?.startsWith(here('../tests/web'))) return this.resolve(id, here('package.json'));
    return null;
  },
};

export default defineConfig({
  base: './',
  define: { __VERSION__: JSON.stringify(packageFile.version) },
  plugins: [packagesForTests, svelte()],
  resolve: { alias: { $page: here('src') } },
  server: { fs: { allow: [here('..')] } },
  worker: { format: 'es' },
  build: { target: 'es2022', assetsInlineLimit: 0, cssCodeSplit: false, modulePreload: { polyfill: false } },
  test: {
    projects: [
      { extends: true, test: { name: 'unit', globals: true, include: [here('../tests/web/unit/**/*.test.ts')] } },
      {
        extends: true,
        test: {
          name: 'e2e',
          globals: true,
          include: [here('../tests/web/e2e/**/*.test.ts')],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
