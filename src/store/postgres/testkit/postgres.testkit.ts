import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { openPool, type PostgresPool } from '../connection/pool.ts'
import { migrate } from '../schema/migrate.ts'
import { cloneCitusDatabase, createCitusDatabase, createCitusTemplate, dropCitusDatabase } from './citus.testkit.ts'
import { administer, databaseAddress, startPostgres } from './postgres-server.testkit.ts'

/**
 * A real PostgreSQL for the tests of one process: the server given by ERACE_TEST_POSTGRES, as when many files run, or one of its
 * own that ends with the process. Each test has its own database, cloned from a template with the schema;
 * ERACE_TEST_POSTGRES_TEMPLATE names an existing one.
 *
 * ERACE_TEST_CITUS gives the coordinator of a Citus cluster instead: then the same tests run on distributed tables.
 */
export type TestPostgres = {
  /** Address of the maintenance database. */
  address: string
  /** Stops and starts the server, for tests of what happens then; not possible for a shared server. */
  stop(): Promise<void>
  start(): Promise<void>
}

let shared: Promise<TestPostgres & { end(): Promise<void> }> | null = null
let template: Promise<string> | null = null
/** The server that all files share, if there is one. */
let given = process.env.ERACE_TEST_CITUS || process.env.ERACE_TEST_POSTGRES || undefined
let isCitus = Boolean(process.env.ERACE_TEST_CITUS)

let users = 0

/**
 * Call it in the outermost scope of the test file, or of the suites that need it: the server ends when the last of them is over.
 * Tests that stop the server need their `own`, and tests of single-server behaviour a `plain` one.
 */
export function usePostgres({ own = false, plain = false } = {}): void {
  if (own || (plain && isCitus)) [given, isCitus] = [undefined, false]
  users++
  after(async () => {
    if (--users > 0) return
    const [server, used] = [await shared, await template]
    shared = null
    template = null
    if (server !== null && used !== null && given !== undefined && used !== existingTemplate())
      await dropDatabase(server.address, used)
    await server?.end()
  })
}

export function postgres(): Promise<TestPostgres> {
  shared ??= startServer()
  return shared
}

async function startServer(): Promise<TestPostgres & { end(): Promise<void> }> {
  if (given === undefined) return startPostgres()
  const refuse = async (): Promise<never> => {
    throw new Error('this server is shared: usePostgres({ own: true }) gives one that can be stopped')
  }
  return { address: given, stop: refuse, start: refuse, end: async () => {} }
}

/** Creates a database with the schema, to be cloned. */
export async function createTemplate(address: string): Promise<string> {
  if (isCitus) return createCitusTemplate(address)
  const name = `erace_template_${randomBytes(6).toString('hex')}`
  await administer(address, `CREATE DATABASE ${name}`)
  const pool = openPool({ address: databaseAddress(address, name), maxConnections: 2, name: 'template' })
  await migrate(pool)
  await pool.close()
  return name
}

/**
 * Cuts every connection of this name and waits until this process has noticed: until then, a pool hands out idle connections that
 * have died.
 */
export async function cutConnections(pool: PostgresPool, name: string): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
     WHERE application_name = $1 AND datname = current_database()`,
    [name],
  )
  // The connections were closed before the answer came; this turn of the event loop reads that.
  await new Promise(setImmediate)
}

/** The template on the shared server, if there is one. */
function existingTemplate(): string | undefined {
  return (given && process.env.ERACE_TEST_POSTGRES_TEMPLATE) || undefined
}

/** An empty database, on the server that all files share or on one of its own. */
export async function createEmptyDatabase(): Promise<{ address: string; destroy(): Promise<void> }> {
  const server = await startServer()
  const name = `erace_empty_${randomBytes(6).toString('hex')}`
  if (isCitus) await createCitusDatabase(server.address, name)
  else await administer(server.address, `CREATE DATABASE ${name}`)
  return {
    address: databaseAddress(server.address, name),
    async destroy() {
      await dropDatabase(server.address, name)
      await server.end()
    },
  }
}

export type TestDatabase = { address: string; pool: PostgresPool; destroy(): Promise<void> }

/** A database with the schema and nothing else. */
export async function createDatabase(): Promise<TestDatabase> {
  const { address } = await postgres()
  template ??= Promise.resolve(existingTemplate() ?? createTemplate(address))
  const from = await template
  const name = `erace_test_${randomBytes(6).toString('hex')}`
  if (isCitus) await cloneCitusDatabase(address, from, name)
  else await administer(address, `CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY file_copy`)
  const own = databaseAddress(address, name)
  const pool = openPool({ address: own, maxConnections: 4, name: 'test' })
  return {
    address: own,
    pool,
    async destroy() {
      await pool.close()
      await dropDatabase(address, name)
    },
  }
}

export async function dropDatabase(address: string, name: string): Promise<void> {
  if (isCitus) await dropCitusDatabase(address, name)
  else await administer(address, `DROP DATABASE ${name} WITH (FORCE)`)
}
