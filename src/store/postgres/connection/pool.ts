import type { Writable } from 'node:stream'
import pg from 'pg'
import { AppError } from '../../../core/errors.ts'
import { explainReadOnly, isConnectionLost, postgresError } from './postgres-error.ts'

export type Row = Record<string, unknown>

/** What statements are sent to: the pool (each on its own), or one transaction. */
export type Sender = {
  /** Named by its text, so that each connection plans it once. */
  query<T = Row>(text: string, values?: readonly unknown[]): Promise<T[]>
}

export type Tx = Sender & {
  /** Sends without waiting for the answer. Should it fail, so does the transaction. */
  send(text: string, values: readonly unknown[]): void
  /** From now on it may take as long as it takes. */
  unhurried(): Promise<void>
}

/**
 * The connections of one process (or thread) to the database. Failures have codes; whether to try again is for the caller to say,
 * who alone knows whether the work may be done twice.
 */
export type PostgresPool = Sender & {
  readonly address: string
  /** Everything or nothing. A throw rolls it back. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A connection of its own, for LISTEN, advisory locks and cursors; to be released by the caller. */
  connection(): Promise<pg.PoolClient>
  /** Statements sent and bytes of their values, roughly: for measurements. */
  traffic(): { statements: number; transactions: number; bytes: number }
  close(): Promise<void>
}

export type PoolOptions = {
  /** postgres://… */
  address: string
  maxConnections: number
  /** Seen in pg_stat_activity. */
  name: string
  /**
   * For those who send many short statements, the same ones over and over: single ones share one connection, on which they follow each
   * other without waiting for answers, and plans are made once and for all. Else each has a connection for itself, and none waits for
   * a long one.
   */
  manyShort?: boolean
  /** A connection without an answer for this long counts as dead; a minute by default. */
  answerWithinMs?: number
}

/** The driver ends the connection then, and all that was sent over it fails. The server's own limit is of no use where it is silent. */
type Limit = { query_timeout?: number }
type Client = Pick<pg.ClientBase, 'query'>

const INT8 = 20
/**
 * All these statements look rows up by keys, so one generic plan fits all values; else the server would plan many of them each time.
 * Citus makes such plans only of what it knows to lie on one server, and has to be left the choice.
 */
const MANY_SHORT = `; SET jit = off; SET citus.max_adaptive_executor_pool_size = 1; SELECT set_config('plan_cache_mode',
  CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END, false)`
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
const STATEMENT_TIMEOUT_MS = 60_000
/** The server gives a statement up first where both still talk to each other. */
export const ANSWER_WITHIN_MS = STATEMENT_TIMEOUT_MS + 5_000
const IDLE_IN_TRANSACTION_MS = 30_000

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 ? readInteger : pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

function readInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new AppError('internal', `${text} is too large a number; it is to be asked for as text`)
  return value
}

export function openPool(options: PoolOptions): PostgresPool {
  const { address, maxConnections, name, manyShort = false, answerWithinMs = ANSWER_WITHIN_MS } = options
  const pool = new pg.Pool({
    connectionString: address,
    max: maxConnections,
    application_name: name,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // What is sent does not wait for the answer to what was sent before.
    pipeline: true,
  } as pg.PoolConfig)
  // The pool replaces an idle connection that dies; one in use reports it through its statement.
  pool.on('error', () => {})
  // A connection that dies in use reports it twice: to the statement and as an event. The first is enough.
  pool.on('connect', (client) => client.on('error', () => {}))
  // Poolers refuse most parameters at the start of a connection. This fails with the connection, which its user hears of.
  const limits = `SET statement_timeout = ${Math.floor(Math.min(STATEMENT_TIMEOUT_MS, answerWithinMs))};
    SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`
  const settings = manyShort ? limits + MANY_SHORT : limits
  pool.on('connect', (client) => void client.query(settings).catch(() => {}))
  const inTime: Limit = { query_timeout: answerWithinMs }
  const counted = { statements: 0, transactions: 0, bytes: 0 }

  async function send<T>(client: Client, text: string, values: readonly unknown[], limit = inTime): Promise<T[]> {
    counted.statements++
    counted.bytes += text.length + sentBytesOf(values)
    gather(client)
    try {
      const { rows } = await client.query({ name: nameOf(text), text, values: values as unknown[], ...limit })
      return rows as T[]
    } catch (error) {
      throw postgresError(error)
    }
  }

  async function connect(): Promise<pg.PoolClient> {
    try {
      return await pool.connect()
    } catch (error) {
      throw postgresError(error)
    }
  }

  const shared = manyShort ? createSharedConnection(connect) : null
  return {
    address: withoutPassword(address),
    async query<T>(text: string, values: readonly unknown[] = []) {
      const client = shared === null ? (pool as unknown as pg.ClientBase) : await shared.client()
      try {
        return await send<T>(client, text, values)
      } catch (error) {
        throw await explainReadOnly(client, postgresError(error))
      }
    },
    async transaction(work) {
      const client = await connect()
      counted.transactions++
      let failure: Error | undefined
      let limit: Limit = inTime
      const sent: Promise<unknown>[] = []
      const note = (answer: Promise<unknown>): void => {
        sent.push(answer)
        answer.catch(() => {}) // seen to at the end
      }
      const tx: Tx = {
        query: (text, values = []) => send(client, text, values, limit),
        send: (text, values) => note(send(client, text, values, limit)),
        async unhurried() {
          await send(client, 'SET LOCAL statement_timeout = 0', [])
          limit = {}
        },
      }
      const say = (text: string): Promise<unknown> => client.query({ text, ...limit })
      try {
        gather(client)
        note(say('BEGIN'))
        const result = await work(tx)
        // Where something before it has failed, this rolls back.
        note(say('COMMIT'))
        // The first that failed says why; those behind it only that it did.
        for (const answer of await Promise.allSettled(sent)) if (answer.status === 'rejected') throw answer.reason
        return result
      } catch (error) {
        failure = error as Error
        await Promise.allSettled(sent)
        await say('ROLLBACK').catch((broken: Error) => {
          failure = broken
        })
        throw await explainReadOnly(client, postgresError(error))
      } finally {
        // A connection in an unknown state is not used again.
        client.release(failure !== undefined && isConnectionLost(failure) ? failure : undefined)
      }
    },
    connection: connect,
    traffic: () => ({ ...counted }),
    async close() {
      await shared?.close()
      await pool.end()
    },
  }
}

/**
 * What is sent over a connection in one turn leaves in one piece: a call of the system costs as much as what most statements do. Of the
 * pool itself, which chooses a connection for each statement, there is nothing to gather.
 */
function gather(client: Client): void {
  const { connection } = client as { connection?: { stream: Writable } }
  const stream = connection?.stream
  if (stream === undefined || stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** A connection that is kept for all; another one takes its place when it broke. */
function createSharedConnection(connect: () => Promise<pg.PoolClient>) {
  let current: Promise<pg.PoolClient> | null = null

  function client(): Promise<pg.PoolClient> {
    if (current !== null) return current
    const opening = connect()
    current = opening
    const forget = (): void => {
      if (current === opening) current = null
    }
    opening.then((opened) => {
      opened.once('error', (error: Error) => {
        forget()
        opened.release(error)
      })
    }, forget)
    return opening
  }

  return {
    client,
    async close(): Promise<void> {
      const last = await current?.catch(() => null)
      if (current !== null) last?.release()
      current = null
    },
  }
}

/** Too old a server is told before anything is written. */
export async function checkServer(pool: PostgresPool): Promise<void> {
  const [row] = await pool.query<{ version: string }>(`SELECT current_setting('server_version_num') AS version`)
  const fault = versionFault(Number(row?.version))
  if (fault !== null) throw fault
}

const names = new Map<string, string>()

/** Statements are few and constant; each has one name over all connections. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `e${names.size}`
  names.set(text, name)
  return name
}

function sentBytesOf(values: readonly unknown[]): number {
  let bytes = 0
  for (const value of values) {
    if (typeof value === 'string') bytes += value.length
    else if (value instanceof Uint8Array) bytes += value.length
    else if (Array.isArray(value)) bytes += sentBytesOf(value)
    else bytes += 8
  }
  return bytes
}

function withoutPassword(address: string): string {
  const url = URL.parse(address)
  if (url === null) return 'postgres://…'
  if (url.password !== '') url.password = '***'
  return url.href
}

const OLDEST = 15

/** What is wrong with a server of this version (as `server_version_num` says it, 150004 for 15.4); null when nothing is. */
export function versionFault(number: number): AppError | null {
  const major = Math.floor(number / 10_000)
  if (major >= OLDEST) return null
  const name = Number.isFinite(number) ? `${major}.${number % 10_000}` : 'of an unknown version'
  return new AppError(
    'store-refused',
    `PostgreSQL ${name} is too old; ${OLDEST} or later is needed: upgrade the server`,
  )
}
