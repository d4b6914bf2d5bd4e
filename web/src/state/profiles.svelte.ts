// The profiles that this browser keeps, side by side. Without IndexedDB they last as long as the page.
import { kept as remembered } from './kept';
import { profile, type Kept } from './profile.svelte';

const store = 'profiles';

const done = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
  });

class Profiles {
  all = $state.raw<Kept[]>([]);
  /** False: the browser keeps nothing. */
  lasting = $state(true);
  #opened: Promise<IDBDatabase> | undefined;
  #loaded: Promise<void> | undefined;

  #database(): Promise<IDBDatabase> {
    return (this.#opened ??= (async () => {
      const request = indexedDB.open('meshgauge', 1);
      request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: 'id' });
      return done(request);
    })());
  }

  async #with(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
    try {
      return await done(work((await this.#database()).transaction(store, mode).objectStore(store)));
    } catch {
      this.lasting = false; // private mode, or storage that is full or switched off
      return undefined;
    }
  }

  /** Once; the one that was applied last is applied again. */
  load(): Promise<void> {
    return (this.#loaded ??= (async () => {
      const found = ((await this.#with('readonly', (all) => all.getAll())) ?? []) as Kept[];
      this.all = found.sort((a, b) => a.at - b.at);
      const last = this.all.find(({ id }) => id === remembered('profile'));
      if (last && !profile.applied) profile.apply(last);
    })());
  }

  async put(kept: Kept): Promise<void> {
    await this.load();
    const at = this.all.findIndex(({ id }) => id === kept.id);
    this.all = at < 0 ? [...this.all, kept] : this.all.with(at, kept);
    if (profile.applied?.id === kept.id) profile.apply(kept);
    await this.#with('readwrite', (all) => all.put($state.snapshot(kept)));
  }

  async remove(id: string): Promise<void> {
    this.all = this.all.filter((kept) => kept.id !== id);
    if (profile.applied?.id === id) profile.apply(null);
    await this.#with('readwrite', (all) => all.delete(id));
  }
}

export const profiles = new Profiles();
