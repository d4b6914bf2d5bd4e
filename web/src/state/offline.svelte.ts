// The copy that answers without a network, and whether a newer one waits.

class OfflineState {
  gone = $state(false);
  newer = $state(false);
  #registration: ServiceWorkerRegistration | undefined;

  async start(): Promise<void> {
    this.gone = !navigator.onLine;
    addEventListener('offline', () => (this.gone = true));
    addEventListener('online', () => (this.gone = false));
    if (!navigator.serviceWorker || !location.protocol.startsWith('http')) return;
    try {
      this.#registration = await navigator.serviceWorker.register('./sw.js');
      this.#watch(this.#registration);
    } catch {
      // Without the offline copy the page works as long as it is open.
    }
  }

  #watch(registration: ServiceWorkerRegistration): void {
    const installed = () => {
      if (registration.waiting && navigator.serviceWorker.controller) this.newer = true;
    };
    installed();
    registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', installed));
  }

  /** A reload alone is answered by the old copy again: the new one must take over first. */
  change(): void {
    const waiting = this.#registration?.waiting;
    if (!waiting) return location.reload();
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    waiting.postMessage('take over');
  }
}

export const offline = new OfflineState();
