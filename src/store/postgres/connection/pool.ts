import type { Writable } from 'node:stream'
import pg from 'pg'
import { AppError } from '../../../core/errors.ts'
import { explainReadOnly, isConnectionLost, postgresError } from './postgres-error.ts'

export type Row = Record<string, unknown>

/** Executes statements: the pool (each on its own), or one transaction. */
export type Sender = {
  /** A prepared statement, named by its text, so that each connection plans it once. */
  query<T = Row>(text: string, values?: readonly unknown[]): Promise<T[]>
}

export type Tx = Sender & {
  /** Sends without waiting for the result. If it fails, so does the transaction. */
  send(text: string, values: readonly unknown[]): void
  /** Removes the timeout from the rest of the transaction. */
  unhurried(): Promise<void>
}

/**
 * The connections of one process (or thread) to the database. Failures have codes; the caller decides whether to retry, since it alone
 * knows whether the work may be done twice.
 */
export type PostgresPool = Sender & {
  readonly address: string
  /** All or nothing: rolls back if `work` throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A dedicated connection, for LISTEN, advisory locks and cursors; the caller must release it. */
  connection(): Promise<pg.PoolClient>
  /** Statements sent and approximate bytes of their values, for measurements. */
  traffic(): { statements: number; transactions: number; bytes: number }
  close(): Promise<void>
}

export type PoolOptions = {
  /** postgres://… */
  address: string
  maxConnections: number
  /** Shown in pg_stat_activity. */
  name: string
  /**
   * For callers that repeat many short statements: statements outside of transactions share one connection, pipelined without waiting
   * for results, and are planned only once. Otherwise each takes a connection of its own, so that none waits for a long one.
   */
  manyShort?: boolean
  /** A connection that doesn't answer for this long counts as dead; `ANSWER_WITHIN_MS` by default. */
  answerWithinMs?: number
}

/** On timeout the driver closes the connection and fails everything sent over it. The server's own limit doesn't help if it is silent. */
type Limit = { query_timeout?: number }
type Client = Pick<pg.ClientBase, 'query'>

const INT8 = 20
/**
 * All these statements look rows up by key, so one generic plan fits all values; otherwise the server would replan many of them each
 * time. Citus can make such plans only for rows that it knows to be on one server, so the choice is left to it.
 */
const MANY_SHORT = `; SET jit = off; SET citus.max_adaptive_executor_pool_size = 1; SELECT set_config('plan_cache_mode',
  CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END, false)`
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
const STATEMENT_TIMEOUT_MS = 60_000
/** Longer than the server's limit: while both can communicate, the server cancels a statement first. */
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
    // A statement doesn't wait for the results of earlier ones.
    pipeline: true,
  } as pg.PoolConfig)
  // The pool replaces an idle connection that dies; one in use reports it through its statement.
  pool.on('error', () => {})
  // A connection that dies in use reports it twice: to the statement and as an event. The first is enough.
  pool.on('connect', (client) => client.on('error', () => {}))
  // Set after connecting, since poolers refuse most startup parameters. This fails only with the connection, which reports it to its user.
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
        answer.catch(() => {}) // handled at the end
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
        // Rolls back if an earlier statement has failed.
        note(say('COMMIT'))
        // The first failure says why; later ones only say that the transaction failed.
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
        // A connection in an unknown state isn't reused.
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
 * Writes everything sent over a connection in one turn of the event loop at once: a system call costs as much as most statements.
 * Does nothing for the pool itself, which chooses a connection for each statement.
 */
function gather(client: Client): void {
  const { connection } = client as { connection?: { stream: Writable } }
  const stream = connection?.stream
  if (stream === undefined || stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** One connection shared by all callers, replaced when it breaks. */
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

/** Rejects a server that is too old, before anything is written. */
export async function checkServer(pool: PostgresPool): Promise<void> {
  const [row] = await pool.query<{ version: string }>(`SELECT current_setting('server_version_num') AS version`)
  const fault = versionFault(Number(row?.version))
  if (fault !== null) throw fault
}

const names = new Map<string, string>()

/** Statements are few and constant; each has the same name on all connections. */
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

/** The error for an unsupported server version (in the form of `server_version_num`, 150004 for 15.4); null if it is supported. */
export function versionFault(number: number): AppError | null {
  const major = Math.floor(number / 10_000)
  if (major >= OLDEST) return null
  const name = Number.isFinite(number) ? `${major}.${number % 10_000}` : 'of an unknown version'
  return new AppError(
    'store-refused',
    `PostgreSQL ${name} is too old; ${OLDEST} or later is needed: upgrade the server`,
  )
}
