/**
 * Connections, kept per origin. A slot is one undici client, which has one connection at a time: it is free, in use, or
 * dropped. A free slot whose connection was closed (idle too long, or by the server) stays and reconnects when it
 * is next used. Requests of one origin beyond its slots wait in order. When the limit on all slots is reached, the
 * slot that has been free the longest is dropped; if none is free the limit is exceeded, since the caller bounds the
 * requests in flight.
 */
import Client from 'undici/lib/dispatcher/client.js'
import { AppError } from '../../core/errors.ts'
import type { Attempt, Connector, ConnectTarget } from './connector.ts'
import type { Carrier, Exchange } from './exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { watchReads } from './response-head.ts'

type Slot = Carrier & { exchange: Exchange | null; use(exchange: Exchange): void; destroy(): Promise<void> }
type Origin = { slots: Slot[]; free: Slot[]; waiting: Exchange[] }

export type Connections = {
  run(origin: string, target: ConnectTarget, exchange: Exchange): void
  close(): Promise<void>
  readonly size: number
}

type ConnectionsDeps = {
  connector: Connector
  limits: FetchLimits
  /** Called before an exchange starts and after it has ended, so that its deadlines can be checked. */
  onStart(exchange: Exchange): void
  onEnd(exchange: Exchange): void
}

/** Shared: creating an error for each connection costs more than closing it, and its stack trace isn't used. */
const dropped = new AppError('connect-failed', 'the connection was dropped')

export function createConnections({ connector, limits, onStart, onEnd }: ConnectionsDeps): Connections {
  const origins = new Map<string, Origin>()
  const all = new Set<Slot>()
  /** Free slots, the longest free first. */
  const free = new Set<Slot>()
  let isClosed = false

  function openSlot(key: string, origin: Origin, target: ConnectTarget): Slot {
    if (all.size >= limits.maxConnections) free.values().next().value?.drop()
    const attempt: Attempt = { address: null, socket: null, cancelled: false, session: null }
    let responses = 0
    let isDropped = false
    let request: { path: string; method: 'GET' | 'POST' | 'OPTIONS'; headers: string[]; body: Buffer | null } | null =
      null

    const client = new Client(key, {
      // The owner sweeps the deadlines of all exchanges, which is cheaper and finer than a timer for each.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: limits.maxHeaderBytes,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: limits.keepAliveMs,
      keepAliveTimeoutThreshold: 500,
      pipelining: 1,
      connect(_, callback) {
        connector(target, attempt).then(
          (connected) => {
            responses = 0
            watchReads(connected, () => slot.exchange)
            callback(null, connected.socket)
          },
          (error: Error) => callback(error, null),
        )
      },
    })

    const slot: Slot = {
      exchange: null,
      get address() {
        return attempt.address
      },
      get responses() {
        return responses
      },
      use(exchange) {
        slot.exchange = exchange
        exchange.start(slot)
        onStart(exchange)
        const { path, headers, body, isPreflight } = exchange.request
        request = { path, method: isPreflight ? 'OPTIONS' : body === null ? 'GET' : 'POST', headers, body }
        client.dispatch(request, exchange)
      },
      again() {
        const { exchange } = slot
        // Deferred, so as not to run inside undici's own error handling.
        queueMicrotask(() => {
          if (request !== null && exchange !== null && slot.exchange === exchange) client.dispatch(request, exchange)
        })
      },
      release(completed) {
        const { exchange } = slot
        slot.exchange = null
        request = null
        if (completed) responses++
        if (exchange !== null) onEnd(exchange)
        const next = isDropped ? undefined : origin.waiting.shift()
        if (next !== undefined) slot.use(next)
        else if (!isDropped) setFree(origin, slot)
      },
      drop() {
        void slot.destroy()
      },
      async destroy() {
        if (isDropped) return
        isDropped = true
        attempt.cancelled = true
        attempt.socket?.destroy()
        forget(key, origin, slot)
        const gone = client.destroy(dropped)
        // The origin is forgotten with its last slot: waiting exchanges open a new one.
        if (origin.slots.length === 0) {
          for (const exchange of origin.waiting.splice(0)) connections.run(key, target, exchange)
        }
        await gone
      },
    }
    all.add(slot)
    origin.slots.push(slot)
    return slot
  }

  function setFree(origin: Origin, slot: Slot): void {
    origin.free.push(slot)
    free.add(slot)
  }

  function forget(key: string, origin: Origin, slot: Slot): void {
    all.delete(slot)
    free.delete(slot)
    origin.slots = origin.slots.filter((other) => other !== slot)
    origin.free = origin.free.filter((other) => other !== slot)
    if (origin.slots.length === 0 && origins.get(key) === origin) origins.delete(key)
  }

  const connections: Connections = {
    run(key, target, exchange) {
      if (isClosed) {
        exchange.giveUp('the fetcher is closed')
        return
      }
      let origin = origins.get(key)
      if (origin === undefined) {
        origin = { slots: [], free: [], waiting: [] }
        origins.set(key, origin)
      }
      const slot = origin.free.pop()
      if (slot !== undefined) {
        free.delete(slot)
        slot.use(exchange)
      } else if (origin.slots.length < limits.perHostConnections) {
        openSlot(key, origin, target).use(exchange)
      } else {
        origin.waiting.push(exchange)
      }
    },
    async close() {
      isClosed = true
      for (const origin of origins.values()) {
        for (const exchange of origin.waiting.splice(0)) exchange.giveUp('the fetcher is closed')
      }
      await Promise.all([...all].map((slot) => slot.destroy()))
    },
    get size() {
      return all.size
    },
  }
  return connections
}
