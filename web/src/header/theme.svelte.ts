// Light, dark, or as the system says.
import { keep, kept } from '../state/kept';

const choices = ['auto', 'light', 'dark'] as const;
type Choice = (typeof choices)[number];

class ThemeState {
  choice = $state<Choice>('auto');

  start(): void {
    this.choice = choices.find((known) => known === kept('theme')) ?? 'auto';
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#apply());
    this.#apply();
  }

  next(): void {
    this.choice = choices[(choices.indexOf(this.choice) + 1) % choices.length]!;
    keep('theme', this.choice);
    this.#apply();
  }

  #apply(): void {
    const dark = this.choice === 'dark' || (this.choice === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}

export const theme = new ThemeState();
