// The offline copy: every file of one version, answered from this browser first.
const name = `meshgauge-${'VERSION'}`;
const files = ['FILES'];

// Asked of the server, not of the browser's cache: a page and files of two versions would not run.
self.addEventListener('install', (event) => {
  const fresh = files.map((file) => new Request(file, { cache: 'no-cache' }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(fresh)));
});

self.addEventListener('activate', (event) => {
  const outdated = (key) => key.startsWith('meshgauge-') && key !== name;
  const clean = caches.keys().then((keys) => Promise.all(keys.filter(outdated).map((key) => caches.delete(key))));
  // The page that brought this copy has it at once: what it has not asked for yet comes from here.
  event.waitUntil(clean.then(() => self.clients.claim()));
});

// "Reload" on the page that was told of a new version.
self.addEventListener('message', (event) => {
  if (event.data === 'take over') self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  const asked = event.request.mode === 'navigate' ? './' : event.request;
  event.respondWith(
    caches
      .open(name)
      .then((cache) => cache.match(asked, { ignoreSearch: true }))
      .then((kept) => kept ?? fetch(event.request)),
  );
});
