import { openPool, type PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { migrate } from '../../src/store/postgres/schema/migrate.ts'
import { type PostgresServerOptions, startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'

/** A PostgreSQL of a benchmark's own, in a temporary folder, that goes with it. */
export type BenchServer = {
  /** A new database with the schema of the program. */
  createDatabase(maxConnections?: number): Promise<PostgresPool>
  /** Of the server's first process. */
  pid(): number
  end(): Promise<void>
}

export async function startServer(options: PostgresServerOptions = {}): Promise<BenchServer> {
  const server = await startPostgres(options)
  const pools: PostgresPool[] = []
  return {
    async createDatabase(maxConnections = 4) {
      const address = await server.createDatabase(`bench_${pools.length}`)
      const pool = openPool({ address, maxConnections, name: 'bench' })
      pools.push(pool)
      await migrate(pool)
      return pool
    },
    pid: server.pid,
    async end() {
      for (const pool of pools) await pool.close()
      await server.end()
    },
  }
}
