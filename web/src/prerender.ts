// Renders the page with the default scenario's answer, at build time, in both languages.
import { render } from 'svelte/server';
import App from './app.svelte';
import type { Boot } from './core/types';
import type { LanguageCode } from './numbers/format';
import { result } from './state/result.svelte';
import { language } from './text/language.svelte';
import { parts } from './ui/parts';

export { defaultsOf } from './core/defaults';
export { defaultScenario } from './state/default-scenario';

export async function prerender(boot: Boot, code: LanguageCode): Promise<string> {
  result.boot(boot);
  await language.use(code);
  return whole(render(App).body);
}

/** With every part in its place. */
function whole(html: string): string {
  return html.replace(/(<div data-part="([^"]+)"[^>]*>)(?=<\/div>)/g, (place, _, name: string) => {
    const { of, props } = parts.get(name)!;
    return place + whole(render(of, { props }).body);
  });
}
