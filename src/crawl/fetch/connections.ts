/**
 * Connections, kept per origin. A slot has one connection at a time, and is free, in use, or
 * dropped. A free slot whose connection was closed (idle too long, or by the server) stays and connects anew when it
 * is next used. Requests of one origin beyond its slots wait in their order. When the limit on all slots is reached, the
 * slot that has been free the longest is dropped; with none free the limit gives way, since the caller bounds what is
 * in flight.
 */
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Attempt, Connector, ConnectTarget } from './connector.ts'
import type { Carrier, Exchange } from './exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { createHttpLine, type HttpLine } from './http-line.ts'
import { createRequestWriter } from './request-writer.ts'

type Slot = Carrier & {
  exchange: Exchange | null
  use(exchange: Exchange): void
  /** Closes a connection that has been idle for too long; false where there is none. */
  tire(now: number): boolean
  destroy(): Promise<void>
}
type Origin = { slots: Slot[]; free: Slot[]; waiting: Exchange[] }

export type Connections = {
  run(origin: string, target: ConnectTarget, exchange: Exchange): void
  close(): Promise<void>
  readonly size: number
}

type ConnectionsDeps = {
  connector: Connector
  clock: Pick<Clock, 'monotonic'>
  limits: FetchLimits
  /** Told before an exchange starts and after it has ended, so that its times can be watched. */
  onStart(exchange: Exchange): void
  onEnd(exchange: Exchange): void
}

export function createConnections({ connector, clock, limits, onStart, onEnd }: ConnectionsDeps): Connections {
  const origins = new Map<string, Origin>()
  const all = new Set<Slot>()
  /** Free slots, the longest free first. */
  const free = new Set<Slot>()
  const writeHead = createRequestWriter()
  const sweepMs = Math.min(1000, Math.max(10, limits.keepAliveMs / 4))
  let idleSweeper: NodeJS.Timeout | null = null
  let isClosed = false

  function openSlot(key: string, origin: Origin, target: ConnectTarget): Slot {
    if (all.size >= limits.maxConnections) free.values().next().value?.drop()
    const attempt: Attempt = { address: null, socket: null, cancelled: false, session: null }
    let responses = 0
    let isDropped = false
    let line: HttpLine | null = null
    const host = key.slice(key.indexOf('//') + 2)
    const lineDeps = {
      writeHead: (exchange: Exchange) => writeHead(host, exchange.request),
      limits,
      now: clock.monotonic,
    }

    async function connect(exchange: Exchange): Promise<void> {
      // It may be open still, if it was idle for too long.
      void line?.destroy()
      line = null
      try {
        const connected = await connector(target, attempt)
        if (isDropped) return void connected.socket.destroy()
        responses = 0
        line = createHttpLine({ connected, ...lineDeps })
      } catch (error) {
        if (!isDropped) exchange.onError(error as Error)
        return
      }
      line.send(exchange)
    }

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
        if (line?.isOpen(clock.monotonic()) === true) line.send(exchange)
        else void connect(exchange)
      },
      again() {
        if (slot.exchange !== null) void connect(slot.exchange)
      },
      release(completed) {
        const { exchange } = slot
        slot.exchange = null
        if (completed) responses++
        if (exchange !== null) onEnd(exchange)
        const next = isDropped ? undefined : origin.waiting.shift()
        if (next !== undefined) slot.use(next)
        else if (!isDropped) setFree(origin, slot)
      },
      drop() {
        void slot.destroy()
      },
      tire(now) {
        if (line === null) return false
        if (line.isOpen(now)) return true
        void line.destroy()
        line = null
        return false
      },
      async destroy() {
        if (isDropped) return
        isDropped = true
        attempt.cancelled = true
        attempt.socket?.destroy()
        forget(key, origin, slot)
        const gone = line?.destroy()
        // Still without a connection.
        slot.exchange?.onError(new AppError('connect-failed', 'the connection was given up'))
        // With its last slot the origin is forgotten: those who wait begin a new one.
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
    idleSweeper ??= setInterval(closeTired, sweepMs).unref()
  }

  /** Servers close what is idle for long, too: it should not be while we write to it. */
  function closeTired(): void {
    const now = clock.monotonic()
    let isOneOpen = false
    for (const slot of free) if (slot.tire(now)) isOneOpen = true
    if (isOneOpen) return
    stopSweeping()
  }

  function stopSweeping(): void {
    if (idleSweeper !== null) clearInterval(idleSweeper)
    idleSweeper = null
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
      stopSweeping()
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
