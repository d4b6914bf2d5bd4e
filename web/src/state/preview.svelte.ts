// A suggestion under the pointer or the focus: ghosts in the bars, its figures in the tiles, until it is left.
import type { Estimate } from '../core/types';

class PreviewState {
  estimate = $state.raw<Estimate | null>(null);
}
export const preview = new PreviewState();

/** A change that was not typed: bars move, so that the eye sees what changed. */
export function moveBars(): void {
  const root = document.documentElement;
  root.dataset.moving = '';
  setTimeout(() => delete root.dataset.moving, 400);
}
