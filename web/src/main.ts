// Brings the prerendered page to life: same default state first, then what link and browser remember.
import { hydrate } from 'svelte';
import App from './app.svelte';
import './app.css';
import type { Boot } from './core/types';
import { theme } from './header/theme.svelte';
import { address } from './state/address.svelte';
import { offline } from './state/offline.svelte';
import { result } from './state/result.svelte';
import { fetchAll } from './tabs/lazy';
import { language } from './text/language.svelte';

async function start(): Promise<void> {
  // The HTML is there in both languages, and the one before the reader is the one to bring to life.
  const shown = document.documentElement.lang === 'zh-CN' ? 'zh' : 'en';
  const [boot] = await Promise.all([fetch('./boot.json').then((answer) => answer.json() as Promise<Boot>), language.use(shown)]);
  result.boot(boot);
  const core = result.start();
  hydrate(App, { target: document.getElementById('page')! });
  theme.start();
  await Promise.all([address.open(), core]);
  const rest = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 200));
  rest(() => void Promise.all([fetchAll(), language.prefetch(), offline.start()]));
}

void start();
