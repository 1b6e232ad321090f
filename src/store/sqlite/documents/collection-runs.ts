import type { CollectionRun, CollectionRunStore } from '../../contracts/collection-runs.ts'
import type { Database } from '../folder/database.ts'

export function createSqliteCollectionRuns(db: Database): CollectionRunStore {
  const last = db.prepare(
    `SELECT started_at AS startedAt, took_ms AS tookMs, state, versions, bytes, freed_bytes AS freedBytes, error
     FROM collection_run`,
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO collection_run (id, started_at, took_ms, state, versions, bytes, freed_bytes, error)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    async last() {
      const row = db.read(() => last.get()) as CollectionRun | undefined
      return row === undefined ? null : { ...row }
    },
    async put({ startedAt, tookMs, state, versions, bytes, freedBytes, error }) {
      db.write(() => put.run(startedAt, tookMs, state, versions, bytes, freedBytes, error))
    },
  }
}
