// The offline copy: every file of one version, answered from this browser first.
const name = `meshgauge-${'VERSION'}`;
const files = ['FILES'];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(files)));
});

self.addEventListener('activate', (event) => {
  const outdated = (key) => key.startsWith('meshgauge-') && key !== name;
  event.waitUntil(caches.keys().then((keys) => Promise.all(keys.filter(outdated).map((key) => caches.delete(key)))));
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)));
});
