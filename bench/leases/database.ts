import { AppError } from '../../src/core/errors.ts'
import { partitionCount } from '../../src/core/url/partition.ts'
import { openPool, type PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { balancedLeases, leaseFunctions } from '../../src/store/postgres/leases/leases-functions.ts'
import { migrate } from '../../src/store/postgres/schema/migrate.ts'
import { type PostgresServerOptions, startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'

/** A temporary PostgreSQL server for a benchmark. */
export type BenchServer = {
  /** A new database with the current schema. */
  createDatabase(maxConnections?: number): Promise<PostgresPool>
  /** Process id of the postmaster. */
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

const wholeNumber = new RegExp(`\\b${partitionCount}\\b`, 'g')

/**
 * Changes the number of partitions of a database. The simulation then runs the program's own `lease_beat` with that number
 * replaced.
 */
export async function setPartitions(pool: PostgresPool, partitions: number): Promise<void> {
  if (partitions === partitionCount) return
  if (!wholeNumber.test(leaseFunctions))
    throw new AppError('internal', 'lease_beat no longer contains the number of partitions')
  const changed = `${leaseFunctions}${balancedLeases}`
    .replaceAll(wholeNumber, `${partitions}`)
    .replaceAll('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')
  for (const statement of changed.split(/(?<=\$\$;)/)) if (statement.trim() !== '') await pool.query(statement)
  await pool.query('INSERT INTO leases (partition) SELECT generate_series($1::int, $2::int - 1)', [
    partitionCount,
    partitions,
  ])
}
