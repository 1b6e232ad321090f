import type { Sender } from '../connection/pool.ts'

/**
 * An id such that no version with it or a lower one can still appear. Ids are handed out before their transactions end, so a version
 * may be seen while one with a lower id is not there yet: whoever remembers "seen up to here" by what is visible
 * would pass over the late one for ever.
 *
 * The ids of versions are drawn within transactions that have a number of their own by then: `record` locks its lease first.
 * So, once all transactions have ended that had a number when the sequence stood at an id, everything up to that id is there or
 * will never be. The rows' own transaction numbers would not tell: the transaction with the higher number may have drawn the
 * lower id. While others are always under way, the place where the sequence stood at an earlier call serves: those of that time have
 * ended by now. So the mark may lag behind while much is written, and is exact when nothing is. Lagging does no harm: what
 * comes behind the mark is looked at once more.
 *
 * Give it the pool, or a transaction that has not written anything yet; in one that has, the mark lags.
 */
export async function newestVersion(sender: Sender): Promise<number> {
  const [drawn] = await sender.query<{ id: number; hasWritten: boolean }>(markStatements.drawn)
  const { id, hasWritten } = drawn!
  if (hasWritten) return (await sender.query<{ settled: number }>(markStatements.settled))[0]?.settled ?? 0
  const [mark] = await sender.query<MarkRow>(markStatements.advance, [id])
  const { settled, horizon, isExact } = mark!
  if (isExact) return Math.max(id, settled)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Most transactions are over within milliseconds.
    const [now] = await sender.query<{ isOver: boolean }>(markStatements.wait, [horizon])
    if (now!.isOver) return Math.max(id, settled)
  }
  return settled
}

type MarkRow = { settled: number; horizon: string; isExact: boolean }

const MAX_ATTEMPTS = 20

const oldest = 'pg_snapshot_xmin(pg_current_snapshot())'

export const markStatements = {
  drawn: `SELECT CASE WHEN is_called THEN last_value * 256 + 255 ELSE 0 END AS id,
    pg_current_xact_id_if_assigned() IS NOT NULL AS "hasWritten" FROM ids`,
  settled: `SELECT CASE WHEN horizon <= ${oldest} THEN greatest(settled, candidate) ELSE settled END AS settled
    FROM version_marks WHERE name = 'versions'`,
  // A horizon of the future is from another server, which this database was restored from.
  advance: `UPDATE version_marks SET
      settled = CASE WHEN horizon <= ${oldest} THEN greatest(settled, candidate) ELSE settled END,
      candidate = CASE WHEN horizon <= ${oldest} OR horizon > pg_current_xact_id() THEN $1::bigint ELSE candidate END,
      horizon = CASE WHEN horizon <= ${oldest} OR horizon > pg_current_xact_id() THEN pg_current_xact_id() ELSE horizon END
    WHERE name = 'versions'
    RETURNING settled, pg_current_xact_id()::text AS horizon, pg_current_xact_id() <= ${oldest} AS "isExact"`,
  wait: `SELECT $1::xid8 <= ${oldest} AS "isOver", pg_sleep(0.003)::text`,
}
