// Tabs that are not in the first bundle.
export const lazy = {
  step: () => import('./step/step.svelte'),
  communication: () => import('./communication/communication.svelte'),
  plan: () => import('./plan/plan.svelte'),
  measured: () => import('./measured/measured.svelte'),
  learn: () => import('./learn/learn.svelte'),
};

/** Fetches them all while the page rests, so that nothing is requested later. */
export const fetchAll = () => Promise.all(Object.values(lazy).map((load) => load()));
