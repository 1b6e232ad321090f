import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { loadPostgresProgram } from './postgres-program.testkit.ts'

/** A real PostgreSQL in a folder of its own. */
export type PostgresServer = {
  /** Of the maintenance database. */
  address: string
  /** Stops and starts the server, for tests of what happens then. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Makes an empty database; its address. */
  createDatabase(name: string): Promise<string>
  /** Of its first process. */
  pid(): number
  end(): Promise<void>
}

export type PostgresServerOptions = {
  /** Whether what was committed survives a power cut; tests do without. */
  durable?: boolean
  /** More settings, as for `postgres -c`. */
  settings?: Record<string, string>
}

const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export async function startPostgres({
  durable = false,
  settings = {},
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-postgres-'))
  // The server runs as another user where this runs as root.
  chmodSync(folder, 0o755)
  const EmbeddedPostgres = await loadPostgresProgram(folder)
  const port = await freePort()
  const password = randomBytes(12).toString('hex')
  const all = { max_connections: '200', ...(durable ? {} : careless), ...settings }
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const address = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  return {
    address,
    stop: () => server.stop(),
    start: () => server.start(),
    async createDatabase(name) {
      await administer(address, `CREATE DATABASE ${name}`)
      return databaseAddress(address, name)
    },
    pid: () => Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async end() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function administer(address: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export function databaseAddress(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
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
