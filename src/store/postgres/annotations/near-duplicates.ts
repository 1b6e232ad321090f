import type { NearDuplicateStore } from '../../contracts/annotations.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { commitBatch, type EpochOf } from './annotation-commit.ts'
import { findNearDuplicates } from './annotation-rows.ts'

export type PostgresNearDuplicatesDeps = { pool: PostgresPool; epochOf: EpochOf }

/** Any number that nobody else uses as the class of an advisory lock. */
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
  find: `SELECT story FROM (${candidates.join(' UNION ALL ')}) near WHERE ${distance} <= ${MAX_DISTANCE}
    ORDER BY ${distance}, version DESC LIMIT 1`,
}

/**
 * Stories of a whole cluster, by the database alone. Where three of 64 bits at most differ, one of four bands of 16 bits is equal: so
 * whoever decides locks the four bands of the text, and meets everybody who decides on something near. Look, decision and what
 * is kept of it are one transaction, and the locks end with it: a connection that is cut takes everything back.
 */
export function createPostgresNearDuplicates({ pool, epochOf }: PostgresNearDuplicatesDeps): NearDuplicateStore {
  return {
    decide: (hash, settle) =>
      pool.transaction(async (tx) => {
        await tx.query(nearDuplicateStatements.lock, [LOCKS, bandKeys(hash)])
        const [found] = await tx.query<{ story: number }>(nearDuplicateStatements.find, [
          String(BigInt.asIntN(64, hash)),
        ])
        const annotations = {
          ofNearDuplicates: (profile: string, story: number, documentId: number) =>
            findNearDuplicates(tx, profile, story, documentId),
          settle: (batch: Parameters<typeof commitBatch>[1]) =>
            commitBatch({ query: tx.query, transaction: (work) => work(tx) }, batch, epochOf),
        }
        return (await settle({ story: found?.story ?? null, annotations })).result
      }),
  }
}

/** In the same order for everybody, so that nobody waits for each other. */
function bandKeys(hash: bigint): number[] {
  const keys: number[] = []
  for (let band = 0; band < BANDS; band++) keys.push(band * 65_536 + Number((hash >> BigInt(band * 16)) & 0xffffn))
  return keys
}
