import type { CollectionRun, CollectionRunStore } from '../../contracts/collection-runs.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

const sql = {
  last: `SELECT started_at AS "startedAt", took_ms AS "tookMs", state, versions, bytes, freed_bytes AS "freedBytes", error
    FROM collection_run`,
  put: `INSERT INTO collection_run (id, started_at, took_ms, state, versions, bytes, freed_bytes, error)
    VALUES (1, $1::bigint, $2::bigint, $3, $4::bigint, $5::bigint, $6::bigint, $7)
    ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, took_ms = excluded.took_ms, state = excluded.state,
      versions = excluded.versions, bytes = excluded.bytes, freed_bytes = excluded.freed_bytes, error = excluded.error`,
}

export function createPostgresCollectionRuns(pool: PostgresPool): CollectionRunStore {
  return {
    async last() {
      const [row] = await pool.query<CollectionRun>(sql.last)
      return row ?? null
    },
    async put({ startedAt, tookMs, state, versions, bytes, freedBytes, error }) {
      await pool.query(sql.put, [startedAt, tookMs, state, versions, bytes, freedBytes, storable(error)])
    },
  }
}
