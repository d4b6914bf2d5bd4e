// The error that is read: typed, pasted or dropped, and what the core says of it.
import { diagnose, type NamedModel } from '../../core/diagnose';
import type { DiagnoseAnswer } from '../../core/diagnose-types';
import { Latest } from '../../state/latest.svelte';
import { result } from '../../state/result.svelte';

const quiet = 300;
/** A longer text is not shown, only read. */
const longestShown = 200_000;

class Reading {
  text = $state('');
  /** Files that are too long to be shown. */
  files = $state.raw<File[]>([]);
  /** What model it was, where somebody has said so. */
  model = $state.raw<NamedModel>();
  answer = new Latest<DiagnoseAnswer>();
  /** How often something was given from elsewhere on the page. */
  given = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #read: File[] = [];

  type(text: string): void {
    this.text = text;
    this.files = [];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#readAll(text.trim() === '' ? [] : [new File([text], 'typed.txt')]), quiet);
  }

  async give(files: File[]): Promise<void> {
    clearTimeout(this.#timer);
    const shown = files.length === 1 && files[0]!.size <= longestShown;
    this.text = shown ? await files[0]!.text() : '';
    this.files = shown ? [] : files;
    this.given++;
    this.model = undefined;
    await this.#readAll(files);
  }

  /** The same text, of that model. */
  of(model: NamedModel): void {
    this.model = model;
    if (this.#read.length > 0) void this.#ask();
  }

  async #readAll(files: File[]): Promise<void> {
    this.answer.clear();
    this.#read = files;
    if (files.length > 0) await this.#ask();
  }

  async #ask(): Promise<void> {
    await this.answer.run((signal) => diagnose(this.#read, result.answered, result.estimate.model.parameters, this.model, signal));
  }
}

export const reading = new Reading();
