/**
 * The one stream of events from the server. It is open while somebody is signed in.
 * States: closed; open (the browser reconnects by itself after a broken connection and tells the last event it saw);
 * refused (the server answered with an error: the stream is opened anew after a delay that grows to a minute).
 * Figures of the crawl are sent only while somebody listens to them: that needs another address, so it is reopened.
 */
export const eventNames = ['hello', 'reset', 'annotation', 'counts', 'source', 'crawl'] as const
export type EventName = (typeof eventNames)[number]
type Listener = (data: unknown) => void

const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 60_000

const listeners = new Map<EventName, Set<Listener>>(eventNames.map((name) => [name, new Set()]))
let source: EventSource | undefined
let wanted = false
let withCrawl = false
let delayMs = FIRST_DELAY_MS
let timer: ReturnType<typeof setTimeout> | undefined

function open(): void {
  clearTimeout(timer)
  source?.close()
  const stream = new EventSource(withCrawl ? '/api/v1/events?crawl=1' : '/api/v1/events')
  source = stream
  for (const name of eventNames) {
    stream.addEventListener(name, (event: MessageEvent<string>) => tell(name, event.data))
  }
  stream.addEventListener('open', () => {
    delayMs = FIRST_DELAY_MS
  })
  stream.addEventListener('error', () => {
    if (stream.readyState !== EventSource.CLOSED || source !== stream || !wanted) return
    timer = setTimeout(open, delayMs)
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
  })
}

function tell(name: EventName, text: string): void {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return
  }
  for (const listener of listeners.get(name) ?? []) listener(data)
}

export function startStream(): () => void {
  wanted = true
  open()
  return () => {
    wanted = false
    clearTimeout(timer)
    source?.close()
    source = undefined
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
  if (wanted) open()
}
