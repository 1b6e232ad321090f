import type { ServerResponse } from 'node:http'
import { AppError } from '../../core/errors.ts'
import { withoutAccesses } from '../../core/url/access.ts'
import type { Arrivals } from '../../services/events/arrivals.ts'
import type { EventHub, Interest, LiveEvent } from '../../services/events/event-hub.ts'

/**
 * Open live event streams. A stream is joining (new events are held back until the missed ones are sent), then live, then
 * closed: because the client left, fell behind or lost its access, or the server stops. All streams share one timer, and
 * an event is serialised once for all of them.
 */
export type EventStreams = {
  /** Throws if too many are open. */
  admit(owner: string): void
  /** Opens a stream, which owns the response from now on. */
  open(stream: StreamRequest): Promise<void>
  /** Keeps connections alive and checks that the clients still have access. */
  tick(): Promise<void>
  /** Checks right away that the clients still have access: those of one owner, or all. */
  lookAgain(owner: string | null): Promise<void>
  count(): number
  close(): void
}

export type StreamRequest = Interest & {
  owner: string
  response: ServerResponse
  headers: Record<string, number | string | string[] | undefined>
  /** Id of the last event the client saw; null for none. */
  lastSeen: number | null
  /** Whether the client still has access to the stream. */
  isStillKnown(): Promise<boolean>
}

export type EventParts = {
  hub: EventHub
  arrivals: Arrivals
  maxStreams: number
  heartbeatMs?: number
}

type Stream = {
  owner: string
  response: ServerResponse
  /** The client has every annotation up to this one. */
  seen: number
  /** Null once it is live. */
  held: LiveEvent[] | null
  /** The tick in which its access is checked. */
  turn: number
  isStillKnown(): Promise<boolean>
}

const MAX_PER_OWNER = 20
const MAX_HELD = 500
/** Normally next to nothing is buffered, and the buffer is shared with the owner's other streams. */
const MAX_WAITING_BYTES = 1024 * 1024
const HEARTBEAT_MS = 20_000
/** Each stream's access is checked once per this many ticks. */
const ROUNDS = 3
const RETRY_MS = 2000
const heartbeat = Buffer.from(':\n\n')

export function createEventStreams({
  hub,
  arrivals,
  maxStreams,
  heartbeatMs = HEARTBEAT_MS,
}: EventParts): EventStreams {
  const streams = new Set<Stream>()
  const frames = createFrames()
  let timer: NodeJS.Timeout | null = null
  let round = 0
  let opened = 0

  function admit(owner: string): void {
    if (streams.size >= maxStreams) throw new AppError('too-many-streams', 'too many event streams are open')
    if (hub.countOf(owner) >= MAX_PER_OWNER)
      throw new AppError('too-many-streams', `you already have ${MAX_PER_OWNER} event streams open`)
  }

  function add(stream: Stream): void {
    streams.add(stream)
    timer ??= setInterval(() => void tick(), heartbeatMs).unref()
  }

  function remove(stream: Stream): void {
    streams.delete(stream)
    if (streams.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  function write({ response }: Stream, bytes: Buffer): boolean {
    if (response.writableEnded || response.destroyed) return true
    response.write(bytes)
    return response.writableLength <= MAX_WAITING_BYTES
  }

  function take(stream: Stream, event: LiveEvent): boolean {
    if (stream.held !== null) return stream.held.push(event) <= MAX_HELD
    if (event.name === 'annotation' && event.id !== undefined && event.id <= stream.seen) return true
    stream.seen = Math.max(stream.seen, event.id ?? 0)
    return write(stream, frames.of(event))
  }

  async function tick(): Promise<void> {
    round = (round + 1) % ROUNDS
    const present = [...streams]
    for (const stream of present) if (!write(stream, heartbeat)) stream.response.destroy()
    await endUnknown(present.filter(({ turn }) => turn === round))
  }

  async function endUnknown(looked: readonly Stream[]): Promise<void> {
    for (const stream of looked) {
      if (stream.response.destroyed) continue
      // While the store does not answer, streams stay open.
      const isKnown = await stream.isStillKnown().catch(() => true)
      if (!isKnown) stream.response.end()
    }
  }

  async function begin(stream: Stream, owner: string, lastSeen: number | null): Promise<void> {
    const { unread, at, missed } = await arrivals.join(owner, lastSeen)
    stream.seen = at
    write(stream, helloFrame(at, unread))
    const held = stream.held ?? []
    stream.held = null
    for (const event of [...missed, ...held]) take(stream, event)
  }

  async function open({ owner, isAdministrator, crawl, response, headers, lastSeen, isStillKnown }: StreamRequest) {
    if (response.destroyed) return
    const stream: Stream = { owner, response, seen: 0, held: [], turn: opened++ % ROUNDS, isStillKnown }
    const leave = hub.subscribe(
      owner,
      { isAdministrator, crawl },
      { take: (event) => take(stream, event), cut: () => response.destroy() },
    )
    add(stream)
    response.once('close', () => {
      leave()
      arrivals.leave(owner)
      remove(stream)
    })
    response.on('error', () => {}) // the client is gone: `close` follows
    response.writeHead(200, headers)
    await begin(stream, owner, lastSeen).catch((error) => {
      response.destroy()
      throw error
    })
  }

  return {
    admit,
    open,
    tick,
    lookAgain: (owner) => endUnknown([...streams].filter((stream) => owner === null || stream.owner === owner)),
    count: () => streams.size,
    close() {
      for (const { response } of streams) response.end()
    },
  }
}

/** Includes the id, so that a client that reconnects before the first event misses nothing. */
function helloFrame(id: number, unread: number): Buffer {
  return Buffer.from(`retry: ${RETRY_MS}\nid: ${id}\nevent: hello\ndata: ${JSON.stringify({ unread })}\n\n`)
}

function createFrames() {
  const written = new WeakMap<LiveEvent, Buffer>()
  return {
    of(event: LiveEvent): Buffer {
      const known = written.get(event)
      if (known !== undefined) return known
      const id = event.id === undefined ? '' : `id: ${event.id}\n`
      // JSON contains no line breaks. Streams bypass the hook that removes the access from responses.
      const data = withoutAccesses(JSON.stringify(event.data))
      const frame = Buffer.from(`${id}event: ${event.name}\ndata: ${data}\n\n`)
      written.set(event, frame)
      return frame
    },
  }
}
