// The measured profile that prices the scenario, if one is applied. Those that are kept: profiles.svelte.ts.
import type { Profile } from '../core/measured-types';
import { forget, keep } from './kept';

export interface Kept {
  id: string;
  name: string;
  /** Of the catalog; null where the profile does not say it. */
  gpu: string | null;
  measurements: number;
  /** Milliseconds since 1970. */
  at: number;
  profile: Profile;
}

class ProfileState {
  applied = $state.raw<Kept | null>(null);

  apply(kept: Kept | null): void {
    this.applied = kept;
    if (kept) keep('profile', kept.id);
    else forget('profile');
  }

  /** For requests; the record of where its numbers come from stays here. */
  for(gpu: string | undefined): { profile?: object } {
    if (!this.suits(gpu)) return {};
    const { fitted_from: _, ...numbers } = this.applied!.profile;
    return { profile: numbers };
  }

  suits(gpu: string | undefined): boolean {
    return this.applied !== null && (this.applied.gpu === null || this.applied.gpu === gpu);
  }
}

export const profile = new ProfileState();
