/**
 * Keeps the pages themselves for the time without a connection: the one page under all paths, and every script and
 * style that was used. What the API answers is never kept here; the inbox keeps its own items.
 * - a view (navigation): from the network, else the kept page;
 * - files with a hash in their name: from the cache, for they never change;
 * - icons and the manifest: from the network, else the cache.
 */
const CACHE = 'erace-pages-1'
const PAGE = '/'
const MAX_ENTRIES = 120

type Waiting = Event & { waitUntil(work: Promise<unknown>): void }
type Fetching = Waiting & { request: Request; respondWith(response: Promise<Response>): void }
type Told = Waiting & { data: unknown }
type WorkerScope = {
  addEventListener(name: 'install' | 'activate', heard: (event: Waiting) => void): void
  addEventListener(name: 'fetch', heard: (event: Fetching) => void): void
  addEventListener(name: 'message', heard: (event: Told) => void): void
  skipWaiting(): Promise<void>
  clients: { claim(): Promise<void> }
}

const scope = globalThis as unknown as WorkerScope
const ownOrigin = globalThis.location.origin

async function keepPage(): Promise<void> {
  const cache = await caches.open(CACHE)
  const response = await fetch(PAGE, { cache: 'no-cache' })
  if (!response.ok) return
  const text = await response.clone().text()
  await cache.put(PAGE, response)
  const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? PAGE)
  await keepFiles(files)
}

async function keepFiles(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE)
  for (const path of paths) {
    if ((await cache.match(path)) === undefined) await cache.add(path).catch(() => undefined)
  }
  const keys = await cache.keys()
  const old = keys.filter(({ url }) => new URL(url).pathname !== PAGE).slice(0, Math.max(0, keys.length - MAX_ENTRIES))
  for (const key of old) await cache.delete(key)
}

async function fromCacheFirst(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

async function fromNetworkFirst(request: Request, keptUnder: string): Promise<Response> {
  try {
    const response = await fetch(request)
    if (response.ok && request.mode === 'navigate') void keepPage().catch(() => undefined)
    return response
  } catch (error) {
    const kept = await caches.match(keptUnder)
    if (kept === undefined) throw error
    return kept
  }
}

scope.addEventListener('install', (event) => {
  event.waitUntil(keepPage().then(() => scope.skipWaiting()))
})

scope.addEventListener('activate', (event) => {
  const dropOld = caches
    .keys()
    .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
  event.waitUntil(dropOld.then(() => scope.clients.claim()))
})

/** The page tells what it loaded before this worker was there. */
scope.addEventListener('message', (event) => {
  const paths = Array.isArray(event.data) ? event.data.filter((path) => typeof path === 'string') : []
  event.waitUntil(keepFiles(paths.filter((path) => path.startsWith('/assets/'))))
})

scope.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== ownOrigin || url.pathname.startsWith('/api/')) return
  if (request.mode === 'navigate') event.respondWith(fromNetworkFirst(request, PAGE))
  else if (url.pathname.startsWith('/assets/')) event.respondWith(fromCacheFirst(request))
  else if (/^\/[\w-]+\.(?:png|svg|webmanifest)$/.test(url.pathname))
    event.respondWith(fromNetworkFirst(request, url.pathname))
})
