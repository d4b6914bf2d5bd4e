// Renders the page with the default scenario's answer, at build time, in both languages.
import { render } from 'svelte/server';
import App from './app.svelte';
import type { Boot } from './core/types';
import type { LanguageCode } from './numbers/format';
import { result } from './state/result.svelte';
import { language } from './text/language.svelte';

export { defaultsOf } from './core/defaults';
export { defaultScenario } from './state/default-scenario';

export async function prerender(boot: Boot, code: LanguageCode): Promise<string> {
  result.boot(boot);
  await language.use(code);
  return render(App).body;
}
