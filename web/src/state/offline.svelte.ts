// The copy that answers without a network, and whether a newer one waits.

class OfflineState {
  gone = $state(false);
  newer = $state(false);

  async start(): Promise<void> {
    this.gone = !navigator.onLine;
    addEventListener('offline', () => (this.gone = true));
    addEventListener('online', () => (this.gone = false));
    if (!('serviceWorker' in navigator) || !location.protocol.startsWith('http')) return;
    try {
      const registration = await navigator.serviceWorker.register('./sw.js');
      registration.addEventListener('updatefound', () => {
        const found = registration.installing;
        found?.addEventListener('statechange', () => {
          if (found.state === 'installed' && navigator.serviceWorker.controller) this.newer = true;
        });
      });
    } catch {
      // Without the offline copy the page works as long as it is open.
    }
  }
}

export const offline = new OfflineState();
