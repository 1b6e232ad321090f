import type { NearDuplicateStore } from '../../contracts/annotations.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { commitBatch, type EpochOf } from './annotation-commit.ts'
import { findNearDuplicates } from './annotation-rows.ts'

export type PostgresNearDuplicatesDeps = { pool: PostgresPool; epochOf: EpochOf }

/** A number that no other advisory lock uses as its class. */
const LOCKS = 7_252_020
const BANDS = 4
/** A band that thousands share (one template, no content) is not searched to its end. */
const MAX_CANDIDATES = 1_000
const MAX_DISTANCE = 3

const bandOf = (hash: string, band: number): string => `((${hash} >> ${band * 16}) & 65535)`
const distance = 'bit_count((hash # $1::bigint)::bit(64))'
const candidates = Array.from(
  { length: BANDS },
  (_, band) => `(SELECT version, hash, story FROM stories WHERE ${bandOf('hash', band)} = ${bandOf('$1::bigint', band)}
    ORDER BY version DESC LIMIT ${MAX_CANDIDATES})`,
)

export const nearDuplicateStatements = {
  lock: 'SELECT pg_advisory_xact_lock($1::int, key) FROM unnest($2::int[]) AS key',
  /** The nearest first, of equals the newest. */
  find: `SELECT story AS cluster FROM (${candidates.join(' UNION ALL ')}) near WHERE ${distance} <= ${MAX_DISTANCE}
    ORDER BY ${distance}, version DESC LIMIT 1`,
}

/**
 * Near-duplicates over all workers, by the database alone. If at most three of 64 bits differ, one of four bands of 16 bits is equal: a
 * worker locks the four bands of a text, and waits for every other that decides on a near one. Search, decision and commit are one
 * transaction, and the locks end with it: a cut connection rolls everything back.
 */
export function createPostgresNearDuplicates({ pool, epochOf }: PostgresNearDuplicatesDeps): NearDuplicateStore {
  return {
    decide: (hash, commit) =>
      pool.transaction(async (tx) => {
        await tx.query(nearDuplicateStatements.lock, [LOCKS, bandKeys(hash)])
        const [found] = await tx.query<{ cluster: number }>(nearDuplicateStatements.find, [
          String(BigInt.asIntN(64, hash)),
        ])
        const annotations = {
          ofCluster: (profile: string, cluster: number, documentId: number) =>
            findNearDuplicates(tx, profile, cluster, documentId),
          commit: (batch: Parameters<typeof commitBatch>[1]) =>
            commitBatch({ query: tx.query, transaction: (work) => work(tx) }, batch, epochOf),
        }
        return (await commit({ cluster: found?.cluster ?? null, annotations })).result
      }),
  }
}

/** In one order for all, so that there is no deadlock. */
function bandKeys(hash: bigint): number[] {
  const keys: number[] = []
  for (let band = 0; band < BANDS; band++) keys.push(band * 65_536 + Number((hash >> BigInt(band * 16)) & 0xffffn))
  return keys
}
