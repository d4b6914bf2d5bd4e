// Brings the prerendered page to life: same default state first, then what link and browser remember.
import { hydrate } from 'svelte';
import App from './app.svelte';
import './app.css';
import type { Boot } from './core/types';
import { theme } from './header/theme.svelte';
import { address } from './state/address.svelte';
import { kept } from './state/kept';
import { offline } from './state/offline.svelte';
import { result } from './state/result.svelte';
import { fetchAll } from './tabs/lazy';
import { language, t } from './text/language.svelte';
import { whenIdle } from './ui/idle';
import { pause, wakeAll } from './ui/parts';

async function start(): Promise<void> {
  // The HTML is there in both languages, and the one before the reader is the one to bring to life.
  const shown = document.documentElement.lang === 'zh-CN' ? 'zh' : 'en';
  const boot = fetchBoot();
  boot.catch(() => {}); // said below, in the right language
  await language.use(shown);
  result.boot(await boot);
  await pause();
  hydrate(App, { target: document.getElementById('page')! });
  theme.start();
  if (kept('profile')) void import('./state/profiles.svelte').then(({ profiles }) => profiles.load());
  const core = result.start();
  await wakeAll();
  await Promise.all([address.open(), core]);
  await Promise.all([fetchAll(), language.prefetch()]);
  await whenIdle(() => offline.start());
  document.documentElement.dataset.complete = '';
}

async function fetchBoot(): Promise<Boot> {
  const answer = await fetch('./boot.json');
  if (!answer.ok) throw new Error(`boot.json: ${answer.status}`);
  return (await answer.json()) as Boot;
}

/** Nothing is alive yet that could say it: a plain line above the prerendered page does. */
function sayWhy(error: unknown): void {
  const line = document.createElement('p');
  line.className = 'not-started';
  line.setAttribute('role', 'alert');
  const retry = document.createElement('button');
  retry.className = 'link';
  retry.textContent = t('app.retry');
  retry.addEventListener('click', () => location.reload());
  line.append(t('app.failed', { reason: error instanceof Error ? error.message : String(error) }), ' ', retry);
  document.body.prepend(line);
  document.documentElement.removeAttribute('data-waiting');
}

start().catch(sayWhy);
