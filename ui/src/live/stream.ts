import { tellReachable } from '../offline/connection.ts'
import { missedSince } from './missed.ts'

/**
 * The one stream of events from the server. It is open while somebody is signed in and looks at the page.
 * States: closed; open (the browser reconnects by itself after a broken connection and tells the last event it saw);
 * refused (the server answered with an error: the stream is opened anew after a delay that grows to a minute);
 * resting (the page is hidden: browsers allow few connections to one server, and other tabs need them too).
 * A stream that is opened anew can not tell the server what it saw last, so what was missed is read from the list.
 * Figures of the crawl are sent only while somebody listens to them: that needs another address, so it is reopened.
 */
export const eventNames = ['hello', 'reset', 'annotation', 'counts', 'source', 'crawl'] as const
export type EventName = (typeof eventNames)[number]
type Listener = (data: unknown) => void

const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 60_000
/** A look at another tab and back changes nothing. */
const HIDDEN_MS = 10_000
/** A server that is started anew answers the next attempt, about two seconds later. */
const BROKEN_MS = 3000

const listeners = new Map<EventName, Set<Listener>>(eventNames.map((name) => [name, new Set()]))
let source: EventSource | undefined
let wanted = false
let withCrawl = false
let delayMs = FIRST_DELAY_MS
/** Id of the last annotation that was told of; null before the first greeting. */
let lastSeen: number | null = null
let openTimer: ReturnType<typeof setTimeout> | undefined
let restTimer: ReturnType<typeof setTimeout> | undefined
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
      see(event)
      hear(name, event.data)
      if (missedFrom !== null && (lastSeen ?? 0) > missedFrom) void tellMissed(missedFrom)
    })
  }
  stream.addEventListener('open', () => {
    delayMs = FIRST_DELAY_MS
    nothingBroken()
  })
  stream.addEventListener('error', () => {
    if (source !== stream) return
    if (stream.readyState === EventSource.CLOSED) retry()
    else brokenTimer ??= setTimeout(() => void lookForServer(stream), BROKEN_MS)
  })
}

/** Something on the way may let everything through but streams: then the server is there. */
async function lookForServer(stream: EventSource): Promise<void> {
  const isThere = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(BROKEN_MS) }).then(
    () => true,
    () => false,
  )
  if (source !== stream || stream.readyState === EventSource.OPEN) return
  brokenTimer = undefined
  tellReachable(isThere)
}

function close(): void {
  clearTimeout(openTimer)
  clearTimeout(brokenTimer)
  brokenTimer = undefined
  source?.close()
  source = undefined
}

/** The server refused, so it is there. */
function retry(): void {
  nothingBroken()
  openTimer = setTimeout(open, delayMs)
  delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
}

function nothingBroken(): void {
  clearTimeout(brokenTimer)
  brokenTimer = undefined
  tellReachable(true)
}

/** The browser has a network again: what waits for its next attempt need not. */
function followNetwork(): void {
  if (document.hidden || source === undefined || source.readyState !== EventSource.CLOSED) return
  delayMs = FIRST_DELAY_MS
  open()
}

function followSight(): void {
  clearTimeout(restTimer)
  if (document.hidden) restTimer = setTimeout(close, HIDDEN_MS)
  else if (source === undefined) open()
}

function see({ lastEventId }: MessageEvent<string>): void {
  const id = Number(lastEventId)
  if (Number.isSafeInteger(id)) lastSeen = Math.max(lastSeen ?? 0, id)
}

/** As the server does it for a stream that comes back by itself. */
async function tellMissed(after: number): Promise<void> {
  const missed = await missedSince(after).catch(() => null)
  if (missed === null) tell('reset', {})
  else for (const item of missed) tell('annotation', item)
}

function hear(name: EventName, text: string): void {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return
  }
  tell(name, data)
}

function tell(name: EventName, data: unknown): void {
  for (const listener of listeners.get(name) ?? []) listener(data)
}

export function startStream(): () => void {
  wanted = true
  document.addEventListener('visibilitychange', followSight)
  window.addEventListener('online', followNetwork)
  // One that begins in the background waits until it is looked at.
  if (!document.hidden) open()
  return () => {
    wanted = false
    lastSeen = null
    document.removeEventListener('visibilitychange', followSight)
    window.removeEventListener('online', followNetwork)
    clearTimeout(restTimer)
    close()
    tellReachable(true)
  }
}

export function listen(name: EventName, listener: Listener): () => void {
  const those = listeners.get(name)
  those?.add(listener)
  if (name === 'crawl') followCrawl()
  return () => {
    those?.delete(listener)
    if (name === 'crawl') followCrawl()
  }
}

function followCrawl(): void {
  const should = (listeners.get('crawl')?.size ?? 0) > 0
  if (should === withCrawl) return
  withCrawl = should
  if (wanted && !document.hidden) open()
}
