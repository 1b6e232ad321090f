import type { Tx } from './pool.ts'

/**
 * An id such that no version with it or a lower one can still appear. Ids are handed out before their transactions end, so a version
 * may be seen while one with a lower id is not there yet: whoever remembers "seen up to here" by what is visible
 * would pass over the late one for ever.
 *
 * The ids of versions are handed out within transactions that have a number of their own by then (`record` locks its lease first).
 * So, once all transactions have ended that had a number when the sequence stood at an id, everything up to that id is there or
 * will never be. The rows' own transaction numbers would not tell: the transaction with the higher number may have drawn the lower
 * id. When others are always under way, the place where the sequence stood at the last call serves: by
 * now those of that time have ended. So the mark may lag behind while much is written, and is exact when nothing is. Lagging does no
 * harm: what comes behind the mark is looked at once more.
 */
export async function newestVersion(tx: Tx): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const [row] = await tx.query<MarkRow>(advance)
    if (row === undefined) return 0
    if (row.isExact || attempt === MAX_ATTEMPTS) return row.settled
    // Most transactions are over within milliseconds.
    await tx.query('SELECT pg_sleep(0.005)')
  }
}

type MarkRow = { settled: number; isExact: boolean }

const MAX_ATTEMPTS = 10

/**
 * The place of the sequence is read first and the snapshot comes with the statement, which is older; a transaction that ended in
 * between only makes the answer more careful. Our own number is higher than those of all that drew ids before.
 */
const advance = `
WITH drawn AS MATERIALIZED (SELECT CASE WHEN is_called THEN last_value * 256 + 255 ELSE 0 END AS id FROM ids)
SELECT 1`
