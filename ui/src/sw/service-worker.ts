import { strings } from './strings.ts'

/**
 * Caches the app for offline use: the single page behind all paths, and every script and style sheet in use.
 * API responses are never cached here; the inbox keeps its own items.
 * - a view (navigation): from the network, else the cached page;
 * - files with a hash in their name: from the cache, since they never change;
 * - icons, the manifest and the theme: from the network, else the cache.
 *
 * Shows what the server pushes as notifications; a click opens the change.
 */
const CACHE = 'erace-pages-1'
const PAGE = '/'
const MAX_ENTRIES = 120

type ExtendableEvent = Event & { waitUntil(work: Promise<unknown>): void }
type FetchEvent = ExtendableEvent & { request: Request; respondWith(response: Promise<Response>): void }
type DataEvent = ExtendableEvent & { data: unknown }
type PushEvent = ExtendableEvent & { data: { text(): string } | null }
type Shown = { data: unknown; close(): void }
type ClickEvent = ExtendableEvent & { notification: Shown }
type Client = { focus(): Promise<unknown>; navigate(url: string): Promise<unknown> }
type WorkerScope = {
  addEventListener(name: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void
  addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void
  addEventListener(name: 'message', listener: (event: DataEvent) => void): void
  addEventListener(name: 'push', listener: (event: PushEvent) => void): void
  addEventListener(name: 'notificationclick', listener: (event: ClickEvent) => void): void
  skipWaiting(): Promise<void>
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<Client[]>
    openWindow(url: string): Promise<unknown>
  }
  registration: { showNotification(title: string, options: object): Promise<void> }
}

const scope = globalThis as unknown as WorkerScope
const ownOrigin = globalThis.location.origin

async function cachePage(): Promise<void> {
  const cache = await caches.open(CACHE)
  const response = await fetch(PAGE, { cache: 'no-cache' })
  if (!response.ok) return
  const text = await response.clone().text()
  await cache.put(PAGE, response)
  const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? PAGE)
  await cacheFiles(files)
}

async function cacheFiles(paths: readonly string[]): Promise<void> {
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
  const cached = await cache.match(request)
  if (cached !== undefined) return cached
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

async function fromNetworkFirst(request: Request, cachedAs: string): Promise<Response> {
  try {
    const response = await fetch(request)
    if (response.ok && request.mode === 'navigate') void cachePage().catch(() => undefined)
    return response
  } catch (error) {
    const cached = await caches.match(cachedAs)
    if (cached === undefined) throw error
    return cached
  }
}

scope.addEventListener('install', (event) => {
  event.waitUntil(cachePage().then(() => scope.skipWaiting()))
})

scope.addEventListener('activate', (event) => {
  const dropOld = caches
    .keys()
    .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
  event.waitUntil(dropOld.then(() => scope.clients.claim()))
})

/** The page lists the files it loaded before this worker started. */
scope.addEventListener('message', (event) => {
  const paths = Array.isArray(event.data) ? event.data.filter((path) => typeof path === 'string') : []
  event.waitUntil(cacheFiles(paths.filter((path) => path.startsWith('/assets/'))))
})

scope.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== ownOrigin || /^\/(?:api|web)\//.test(url.pathname)) return
  if (request.mode === 'navigate') event.respondWith(fromNetworkFirst(request, PAGE))
  else if (url.pathname.startsWith('/assets/')) event.respondWith(fromCacheFirst(request))
  else if (/^\/(?:theme\.js|[\w-]+\.(?:png|svg|webmanifest))$/.test(url.pathname))
    event.respondWith(fromNetworkFirst(request, url.pathname))
})

type PushedMessage = { id: string; title: string; body: string; path: string }

/** Parses a message from `src/delivery/web-push.ts`. Only the path of its URL is used, so that it can't lead to another site. */
function readPush(text: string): PushedMessage {
  const usual = { id: '', title: strings.title, body: '', path: '/inbox' }
  try {
    const { id, title, body, url } = JSON.parse(text) as Record<string, unknown>
    const { pathname, search } = new URL(String(url), ownOrigin)
    return { id: String(id), title: String(title), body: String(body), path: pathname + search }
  } catch {
    return usual
  }
}

/** Browsers require a notification for every push. A message sent twice replaces its first notification. */
scope.addEventListener('push', (event) => {
  const { id, title, body, path } = readPush(event.data?.text() ?? '')
  event.waitUntil(
    scope.registration.showNotification(title, {
      ...{ body, icon: '/icon-192.png', data: path },
      ...(id !== '' && { tag: id }),
    }),
  )
})

scope.addEventListener('notificationclick', (event) => {
  const { notification } = event
  notification.close()
  event.waitUntil(openPage(typeof notification.data === 'string' ? notification.data : PAGE))
})

/** Navigates an open page, else opens a new one. A page controlled by another version of this worker can't be navigated. */
async function openPage(path: string): Promise<void> {
  const [client] = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const isLed = client !== undefined && (await client.navigate(path).then(Boolean, () => false))
  if (isLed) await client.focus().catch(() => undefined)
  else await scope.clients.openWindow(path)
}
