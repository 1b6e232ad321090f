import type { NearDuplicateStore } from '../../contracts/annotations.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { numberArray } from '../connection/row-batch.ts'
import { commitBatch, type EpochOf } from './annotation-commit.ts'
import { findStory } from './annotation-rows.ts'
import { nearDuplicateStatements, textsInBands } from './near-duplicate-statements.ts'

export type PostgresNearDuplicatesDeps = { pool: PostgresPool; epochOf: EpochOf }

/** A number that no other advisory lock uses as its class. */
const LOCKS = 7_252_020

/**
 * Near-duplicates across all workers, coordinated by the database alone. Similar texts share a band: a worker locks the bands of a text,
 * and so waits for any other worker that is deciding on one of them. Search, decision and commit are one transaction, which also ends
 * the locks: a broken connection rolls everything back.
 */
export function createPostgresNearDuplicates({ pool, epochOf }: PostgresNearDuplicatesDeps): NearDuplicateStore {
  return {
    decide: (bands, commit) =>
      pool.transaction(async (tx: Tx) => {
        // Pipelined; the second sees everything committed before the first got the locks.
        const [, candidates] = await Promise.all([
          tx.query(nearDuplicateStatements.lock, [LOCKS, numberArray(lockKeys(bands))]),
          textsInBands(tx, bands),
        ])
        return commit({
          candidates,
          annotations: {
            ofCluster: (lookup) => findStory(tx, lookup),
            commit: (batch) => commitBatch({ query: tx.query, transaction: (work) => work(tx) }, batch, epochOf),
          },
        })
      }),
  }
}

/** Sorted to prevent deadlocks. Two bands may have the same key, which only causes a needless wait. */
function lockKeys(bands: readonly number[]): number[] {
  const keys = new Set(bands.map((band) => (band ^ Math.imul(Math.floor(band / 2 ** 32) + 1, 0x9e3779b1)) | 0))
  return [...keys].sort((a, b) => a - b)
}
