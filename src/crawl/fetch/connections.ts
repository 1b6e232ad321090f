/**
 * Connections, kept per origin. A slot has one connection at a time, and is free, in use, or dropped. A free slot whose connection
 * was closed (idle too long, or by the server) stays and reconnects when it is next used. Requests of one origin beyond its slots wait in order. When the limit on all slots is reached, the
 * slot that has been free the longest is dropped; if none is free the limit is exceeded, since the caller bounds the
 * requests in flight.
 */
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Attempt, Connector, ConnectTarget } from './connector.ts'
import type { Carrier, Exchange } from './exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { HttpConnection } from './http-connection.ts'

type Slot = Carrier & {
  exchange: Exchange | null
  use(exchange: Exchange): void
  /** Sends the request on the kept connection, or on a new one if that was closed. */
  send(nowMs: number): void
  /** Closes a connection that has been idle for too long; false if there is no connection. */
  closeIdle(nowMs: number): boolean
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
  /** Called before an exchange starts and after it has ended, so that its deadlines can be checked. */
  onStart(exchange: Exchange): void
  onEnd(exchange: Exchange): void
}

/** Shared: creating an error for each connection costs more than closing it, and its stack trace isn't used. */
const dropped = new AppError('connect-failed', 'the connection was dropped')

export function createConnections({ connector, clock, limits, onStart, onEnd }: ConnectionsDeps): Connections {
  const origins = new Map<string, Origin>()
  const all = new Set<Slot>()
  /** Free slots, the longest free first. */
  const free = new Set<Slot>()
  const idleSweepMs = Math.min(1000, Math.max(10, limits.keepAliveMs / 4))
  let idleSweeper: NodeJS.Timeout | null = null
  /** Slots in use whose request will be written on a kept connection. */
  let sending: Slot[] = []
  let isClosed = false

  function openSlot(key: string, origin: Origin, target: ConnectTarget): Slot {
    if (all.size >= limits.maxConnections) free.values().next().value?.drop()
    const attempt: Attempt = { address: null, socket: null, cancelled: false, session: null }
    const deps = { host: key.slice(key.indexOf('//') + 2), limits, clock }
    let isDropped = false
    let connection: HttpConnection | null = null

    function connect(exchange: Exchange): void {
      connection?.close()
      connection = null
      connector(target, attempt).then(
        (connected) => {
          if (isDropped) {
            connected.socket.destroy()
            return
          }
          connection = new HttpConnection(connected, deps)
          if (exchange.mayBeSent()) connection.send(exchange, clock.monotonic())
        },
        (error: Error) => {
          if (!isDropped) exchange.onError(error)
        },
      )
    }

    const slot: Slot = {
      exchange: null,
      get address() {
        return attempt.address
      },
      get responses() {
        return connection?.responses ?? 0
      },
      use(exchange) {
        slot.exchange = exchange
        exchange.start(slot)
        onStart(exchange)
        if (connection === null || connection.isClosed) connect(exchange)
        else sendSoon(slot)
      },
      send(nowMs) {
        const { exchange } = slot
        if (exchange === null || isDropped) return
        if (connection?.canSend(nowMs) !== true) connect(exchange)
        else if (exchange.mayBeSent()) connection.send(exchange, nowMs)
      },
      again() {
        if (slot.exchange !== null) connect(slot.exchange)
      },
      release() {
        const { exchange } = slot
        slot.exchange = null
        if (exchange !== null) onEnd(exchange)
        const next = isDropped ? undefined : origin.waiting.shift()
        if (next !== undefined) slot.use(next)
        else if (!isDropped) setFree(origin, slot)
      },
      disconnect() {
        connection?.close()
      },
      drop() {
        void slot.destroy()
      },
      closeIdle(nowMs) {
        if (connection === null || connection.isClosed) return false
        if (connection.canSend(nowMs)) return true
        connection.close()
        return false
      },
      async destroy() {
        if (isDropped) return
        isDropped = true
        attempt.cancelled = true
        attempt.socket?.destroy()
        forget(key, origin, slot)
        const closed = connection?.closed()
        slot.exchange?.onError(dropped)
        // The origin is forgotten with its last slot: waiting exchanges open a new one.
        if (origin.slots.length === 0) {
          for (const exchange of origin.waiting.splice(0)) connections.run(key, target, exchange)
        }
        await closed
      },
    }
    all.add(slot)
    origin.slots.push(slot)
    return slot
  }

  /** Bytes that nobody asked for may wait on a kept connection: they are read first, and close it. */
  function sendSoon(slot: Slot): void {
    if (sending.push(slot) === 1) setImmediate(sendAll)
  }

  function sendAll(): void {
    const now = clock.monotonic()
    const slots = sending
    sending = []
    for (const slot of slots) slot.send(now)
  }

  function setFree(origin: Origin, slot: Slot): void {
    origin.free.push(slot)
    free.add(slot)
    idleSweeper ??= setInterval(closeIdle, idleSweepMs).unref()
  }

  /** Servers close idle connections, too: that should not happen while a request is being written. */
  function closeIdle(): void {
    const now = clock.monotonic()
    let isOneOpen = false
    for (const slot of free) if (slot.closeIdle(now)) isOneOpen = true
    if (!isOneOpen) stopSweeping()
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
