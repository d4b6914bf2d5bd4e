// Tabs that are not in the first bundle.
import { whenIdle } from '../ui/idle';

export const lazy = {
  step: () => import('./step/step.svelte'),
  communication: () => import('./communication/communication.svelte'),
  plan: () => import('./plan/plan.svelte'),
  compare: () => import('./compare/compare.svelte'),
  measured: () => import('./measured/measured.svelte'),
  launch: () => import('./launch/launch.svelte'),
  learn: () => import('./learn/learn.svelte'),
};

/** Parts of the summary that need the core, hence come after it. */
export const later = {
  advice: () => import('../summary/advice.svelte'),
  normal: () => import('../summary/normal.svelte'),
  files: () => import('../export/export.svelte'),
  search: () => import('../search/search.svelte'),
};

/** Fetches them all while the page rests, so that nothing is requested later. */
export const fetchAll = () => Promise.all([...Object.values(lazy), ...Object.values(later)].map((load) => whenIdle<unknown>(load)));
