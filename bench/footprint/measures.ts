import type { PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { processorSeconds } from '../cluster/processor-time.ts'

/** What some work cost the database. */
export type Cost = { logBytes: number; statements: number; serverMs: number }

export type Meter = { of(work: () => Promise<void>): Promise<Cost>; sizes(): Promise<Sizes> }

/** Bytes of each table with all that belongs to it, and of its indexes alone. */
export type Sizes = ReadonlyMap<string, { all: number; indexes: number }>

export function createMeter(pool: PostgresPool, serverPid: number): Meter {
  async function position(): Promise<number> {
    const [row] = await pool.query<{ at: number }>(`SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS at`)
    return row!.at
  }
  return {
    async of(work) {
      const from = await position()
      const seconds = processorSeconds(serverPid)
      const { statements } = pool.traffic()
      await work()
      const sent = pool.traffic().statements - statements
      const serverMs = (processorSeconds(serverPid) - seconds) * 1000
      return { logBytes: (await position()) - from, statements: sent, serverMs }
    },
    async sizes() {
      const rows = await pool.query<{ name: string; all: number; indexes: number }>(
        `SELECT relname AS name, pg_total_relation_size(oid) AS all, pg_indexes_size(oid) AS indexes FROM pg_class
         WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
      )
      return new Map(rows.map((row) => [row.name, row]))
    },
  }
}

/** What the tables have grown by, for each of so many things. */
export function growth(before: Sizes, after: Sizes, count: number): Map<string, { all: number; indexes: number }> {
  return new Map(
    [...after].map(([table, now]) => {
      const then = before.get(table) ?? { all: 0, indexes: 0 }
      return [table, { all: (now.all - then.all) / count, indexes: (now.indexes - then.indexes) / count }]
    }),
  )
}
