import type { ServerResponse } from 'node:http'
import { AppError } from '../core/errors.ts'
import type { Arrivals } from '../services/events/arrivals.ts'
import type { EventHub, Interest, LiveEvent } from '../services/events/event-hub.ts'

/**
 * Open streams of live events. A stream is joining (what happens is held back until it has been told what it missed), then
 * live, then closed: because the reader went, could not keep up, is not known any more, or the server ends. There is one
 * timer for all of them, and an event is written down once however many streams it goes to.
 */
export type EventStreams = {
  /** Throws where there are too many already. */
  admit(owner: string): void
  /** Writes to the response from now on. */
  open(stream: StreamRequest): Promise<void>
  /** Keeps connections from falling asleep, and looks whether the readers are still who they were. */
  tick(): Promise<void>
  /** Looks at once whether the readers are still who they were: those of one owner, or all. */
  lookAgain(owner: string | null): Promise<void>
  count(): number
  close(): void
}

export type StreamRequest = Interest & {
  owner: string
  response: ServerResponse
  headers: Record<string, number | string | string[] | undefined>
  /** Id of the last event that the reader saw; null for none. */
  lastSeen: number | null
  /** Whether the reader may still have what the stream gives. */
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
  /** Up to which annotation the reader has everything. */
  seen: number
  /** Null when it is live. */
  held: LiveEvent[] | null
  /** In which of the rounds its reader is looked at. */
  turn: number
  isStillKnown(): Promise<boolean>
}

const MAX_PER_OWNER = 20
const MAX_HELD = 500
/** Of an ordinary reader next to nothing waits; what waits is shared with the other streams of the owner. */
const MAX_WAITING_BYTES = 1024 * 1024
const HEARTBEAT_MS = 20_000
/** Every stream is looked at once in so many ticks. */
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
      // Of a store that does not answer nobody is sent away.
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
    response.on('error', () => {}) // the reader is gone: `close` follows
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

/** The id goes along, so that who comes back before anything arrived misses nothing either. */
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
      // JSON has no line ends of its own.
      const frame = Buffer.from(`${id}event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`)
      written.set(event, frame)
      return frame
    },
  }
}
