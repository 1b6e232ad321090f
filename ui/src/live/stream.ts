import { api, type List } from '../api/client.ts'
import type { Annotation } from '../api/types.ts'
import { setReachable } from '../offline/connection.ts'

/**
 * The page's only stream of server events, open while a user is signed in and the page is visible.
 * States: closed; open (after a broken connection the browser reconnects by itself and sends the last event id);
 * refused (the server answered with an error: reopened after a delay that grows to a minute);
 * paused (the page is hidden: browsers allow few connections per server, and other tabs need them too).
 * A reopened stream can't send the last event id, so missed items are read from the list.
 * Crawl stats are sent only while a view listens to them; that takes another URL, so the stream is reopened.
 */
const eventNames = ['hello', 'reset', 'annotation', 'counts', 'source', 'channel', 'crawl'] as const
export type EventName = (typeof eventNames)[number]
type Listener = (data: unknown) => void

const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 60_000
/** Delay before a hidden page closes the stream, so that a quick switch of tabs doesn't. */
const HIDDEN_MS = 10_000
/** A restarting server answers the next attempt, about two seconds later. */
const BROKEN_MS = 3000
/** Up to this many missed items are announced one by one; beyond it the list is reloaded. */
const MAX_MISSED = 200

const listeners = new Map<EventName, Set<Listener>>(eventNames.map((name) => [name, new Set()]))
let source: EventSource | undefined
let wanted = false
let withCrawl = false
let delayMs = FIRST_DELAY_MS
/** Id of the last annotation received; null before the first greeting. */
let lastSeen: number | null = null
let openTimer: ReturnType<typeof setTimeout> | undefined
let pauseTimer: ReturnType<typeof setTimeout> | undefined
let brokenTimer: ReturnType<typeof setTimeout> | undefined

function open(): void {
  close()
  const stream = new EventSource(withCrawl ? '/api/v1/events?crawl=1' : '/api/v1/events')
  source = stream
  let isGreeted = false
  for (const name of eventNames) {
    stream.addEventListener(name, (event: MessageEvent<string>) => {
      const missedFrom = name === 'hello' && !isGreeted ? lastSeen : null
      isGreeted = true
      recordId(event)
      receive(name, event.data)
      if (missedFrom !== null && (lastSeen ?? 0) > missedFrom) void emitMissed(missedFrom)
    })
  }
  stream.addEventListener('open', () => {
    delayMs = FIRST_DELAY_MS
    markReachable()
  })
  stream.addEventListener('error', () => {
    if (source !== stream) return
    if (stream.readyState === EventSource.CLOSED) retry()
    else brokenTimer ??= setTimeout(() => void probeServer(stream), BROKEN_MS)
  })
}

/** A proxy may pass everything except streams; then the server is still reachable. */
async function probeServer(stream: EventSource): Promise<void> {
  const isUp = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(BROKEN_MS) }).then(
    () => true,
    () => false,
  )
  if (source !== stream || stream.readyState === EventSource.OPEN) return
  brokenTimer = undefined
  setReachable(isUp)
}

function close(): void {
  clearTimeout(openTimer)
  clearTimeout(brokenTimer)
  brokenTimer = undefined
  source?.close()
  source = undefined
}

/** The server refused the stream, so it is reachable. */
function retry(): void {
  markReachable()
  openTimer = setTimeout(open, delayMs)
  delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
}

function markReachable(): void {
  clearTimeout(brokenTimer)
  brokenTimer = undefined
  setReachable(true)
}

/** The network is back: no need to wait for the next attempt. */
function onNetworkBack(): void {
  if (document.hidden || source === undefined || source.readyState !== EventSource.CLOSED) return
  delayMs = FIRST_DELAY_MS
  open()
}

function onVisibilityChange(): void {
  clearTimeout(pauseTimer)
  if (document.hidden) pauseTimer = setTimeout(close, HIDDEN_MS)
  else if (source === undefined) open()
}

function recordId({ lastEventId }: MessageEvent<string>): void {
  const id = Number(lastEventId)
  if (Number.isSafeInteger(id)) lastSeen = Math.max(lastSeen ?? 0, id)
}

/** Emits the missed items, as the server does for a stream that reconnects by itself. */
async function emitMissed(after: number): Promise<void> {
  const missed = await missedSince(after).catch(() => null)
  if (missed === null) emit('reset', {})
  else for (const item of missed) emit('annotation', item)
}

/** Items that arrived after this one, oldest first; null when there are too many to announce. */
async function missedSince(after: number): Promise<Annotation[] | null> {
  const { items, next } = await api.get<List<Annotation>>('/annotations', { state: 'all', limit: MAX_MISSED })
  const missed = items.filter(({ id }) => id > after)
  if (missed.length === items.length && next !== null) return null
  // Items from before the profile existed are not new.
  return missed.filter(({ backlog }) => !backlog).reverse()
}

function receive(name: EventName, text: string): void {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return
  }
  emit(name, data)
}

function emit(name: EventName, data: unknown): void {
  for (const listener of listeners.get(name) ?? []) listener(data)
}

export function startStream(): () => void {
  wanted = true
  document.addEventListener('visibilitychange', onVisibilityChange)
  window.addEventListener('online', onNetworkBack)
  // A page opened in the background waits until it is visible.
  if (!document.hidden) open()
  return () => {
    wanted = false
    lastSeen = null
    document.removeEventListener('visibilitychange', onVisibilityChange)
    window.removeEventListener('online', onNetworkBack)
    clearTimeout(pauseTimer)
    close()
    setReachable(true)
  }
}

export function listen(name: EventName, listener: Listener): () => void {
  const registered = listeners.get(name)
  registered?.add(listener)
  if (name === 'crawl') updateCrawlStats()
  return () => {
    registered?.delete(listener)
    if (name === 'crawl') updateCrawlStats()
  }
}

function updateCrawlStats(): void {
  const should = (listeners.get('crawl')?.size ?? 0) > 0
  if (should === withCrawl) return
  withCrawl = should
  if (wanted && !document.hidden) open()
}
