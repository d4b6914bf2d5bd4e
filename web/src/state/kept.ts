// What stays in this browser: the last scenario, language, theme. Works without storage, too.

type Name = 'scenario' | 'language' | 'theme' | 'welcomed' | 'profile' | 'shortcuts';

export function kept(name: Name): string | null {
  try {
    return localStorage.getItem(`meshgauge.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: Name, value: string): void {
  try {
    localStorage.setItem(`meshgauge.${name}`, value);
  } catch {
    // Private mode: the page works, it only forgets.
  }
}

export function forget(name: Name): void {
  try {
    localStorage.removeItem(`meshgauge.${name}`);
  } catch {
    // Nothing was kept.
  }
}
