import pg from 'pg'
import { AppError, isAppError } from '../../../core/errors.ts'
import { poolBySession, postgresError, smallPool } from './postgres-error.ts'

const ANSWER_WITHIN_MS = 10_000

/**
 * Makes sure that a connection keeps one server process to itself for as long as it lasts: LISTEN, prepared statements and settings
 * belong to that process. A pooler in transaction mode silently lends it to other clients between transactions.
 *
 * - It may use its server connections in turn (round robin): then two statements of one client reach two processes.
 * - It may use the last one first (LIFO): then a second client gets the process of the first, or takes it away.
 * - In statement mode it refuses to begin a transaction.
 */
export async function checkSessions(address: string): Promise<void> {
  const clients: pg.Client[] = []
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: address,
      application_name: 'erace start',
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    })
    client.on('error', () => {}) // reported by its statement
    clients.push(client)
    await client.connect()
    return client
  }
  try {
    const first = await connect()
    const pid = await pidOf(first)
    if ((await pidOf(first)) !== pid) throw notBySession()
    const second = await connectSecond(connect)
    if ((await pidOf(second)) === pid || (await pidOf(first)) !== pid) throw notBySession()
    await second.query('ROLLBACK')
  } catch (error) {
    throw postgresError(error)
  } finally {
    // Ignore errors when closing a broken connection.
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

async function pidOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]!.pid
}

/** In a transaction, so that a pooler can't give its process to another client. */
async function connectSecond(connect: () => Promise<pg.Client>): Promise<pg.Client> {
  try {
    const client = await connect()
    await client.query('BEGIN')
    return client
  } catch (error) {
    const failure = postgresError(error)
    const isLate = isAppError(failure, 'store-unreachable') && /timeout/i.test(failure.message)
    throw isLate ? new AppError('store-unavailable', `a second connection got no answer; ${smallPool}`) : failure
  }
}

function notBySession(): AppError {
  return new AppError('store-refused', `PostgreSQL: this connection changes between statements; ${poolBySession}`)
}
