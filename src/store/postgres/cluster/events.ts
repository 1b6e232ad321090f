import type { PoolClient, QueryConfig } from 'pg'
import type { Track } from '../../../core/work/retries.ts'
import { createBackoff } from '../../../core/work/retry.ts'
import type { ClusterEvents } from '../../contracts/cluster/events.ts'
import { ANSWER_WITHIN_MS, type PostgresPool } from '../connection/pool.ts'
import { postgresError } from '../connection/postgres-error.ts'

export type PostgresEventsOptions = {
  pool: PostgresPool
  /** Records that the connection broke or couldn't be opened; it is retried. */
  track?: Track
}

type Handler = (payload: string | null) => void

const MIN_WAIT_MS = 100
const MAX_WAIT_MS = 5_000
const plainName = /^[a-z_0-9]{1,60}$/

/**
 * LISTEN on one dedicated connection. It is
 * - idle: there are no listeners and no connection;
 * - connecting: with exponential backoff after failures;
 * - connected: LISTEN was sent for every channel, and each handler was called with null, since notifications may have been missed;
 * - closed.
 */
export function createPostgresEvents({ pool, track }: PostgresEventsOptions): ClusterEvents {
  const handlers = new Map<string, Set<Handler>>()
  let current: { client: PoolClient; end(): void } | null = null
  let connecting: Promise<void> | null = null
  const backoff = createBackoff({ firstMs: MIN_WAIT_MS, lastMs: MAX_WAIT_MS })
  let timer: NodeJS.Timeout | null = null
  let isClosed = false
  const commands: string[] = []
  let saying = Promise.resolve()

  function dispatch(channel: string, payload: string | null): void {
    for (const handler of handlers.get(channel) ?? []) handler(payload)
  }

  function connectLater(error: unknown): void {
    if (isClosed) return
    // Without listeners, nothing waits for the connection.
    if (handlers.size === 0) track?.done()
    else track?.failed(error)
    if (timer !== null || handlers.size === 0) return
    timer = setTimeout(() => {
      timer = null
      connect()
    }, backoff.nextMs())
    timer.unref()
  }

  function connect(): void {
    if (isClosed || current !== null || connecting !== null || timer !== null) return
    connecting = open()
      .catch(connectLater)
      .finally(() => {
        connecting = null
      })
  }

  async function open(): Promise<void> {
    const fresh = await pool.connection()
    let isOver = false
    const end = (error: Error | null): void => {
      if (isOver) return
      isOver = true
      fresh.removeAllListeners('notification')
      fresh.release(true)
      if (current?.client === fresh) current = null
      if (error !== null) connectLater(postgresError(error))
    }
    fresh.on('error', end)
    fresh.on('end', () => end(new Error('Connection terminated')))
    fresh.on('notification', ({ channel, payload }) => dispatch(channel, payload ?? ''))
    const channels = new Set(handlers.keys())
    try {
      if (channels.size > 0) await fresh.query(inTime([...channels].map((channel) => `LISTEN ${channel}`).join('; ')))
    } catch (error) {
      return end(error as Error)
    }
    if (isClosed || isOver) return end(null)
    current = { client: fresh, end: () => end(null) }
    backoff.reset()
    track?.done()
    // Channels added while connecting.
    for (const channel of handlers.keys()) if (!channels.has(channel)) say(`LISTEN ${channel}`)
    for (const channel of [...handlers.keys()]) dispatch(channel, null)
  }

  /** Sends commands in batches, one after the other. A failure is one of the connection, which reports it itself. */
  function say(command: string): void {
    if (commands.push(command) > 1) return
    saying = saying.then(async () => {
      const text = commands.splice(0).join('; ')
      await current?.client.query(inTime(text)).catch(() => {})
    })
  }

  return {
    listen(channel, handler) {
      if (!plainName.test(channel)) throw new TypeError(`not a plain channel name: ${channel}`)
      const known = handlers.get(channel)
      if (known === undefined) {
        handlers.set(channel, new Set([handler]))
        if (current === null) connect()
        else say(`LISTEN ${channel}`)
      } else known.add(handler)
      return () => {
        const left = handlers.get(channel)
        if (left?.delete(handler) !== true || left.size > 0) return
        handlers.delete(channel)
        say(`UNLISTEN ${channel}`)
      }
    },
    async notify(channel, payload = '') {
      await pool.query('SELECT pg_notify($1, $2)', [channel, payload])
    },
    async close() {
      isClosed = true
      track?.done()
      if (timer !== null) clearTimeout(timer)
      await connecting
      await saying
      current?.end()
    },
  }
}

/** With a timeout: waiting for an answer that never comes would prevent reconnecting. */
function inTime(text: string): QueryConfig & { query_timeout: number } {
  return { text, query_timeout: ANSWER_WITHIN_MS }
}
