import type { OutboxAttempt, OutboxEntry, OutboxStore } from '../../contracts/outbox.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

const PORTION = 1_000
const removeStatement = `DELETE FROM outbox WHERE (annotation, channel) IN
  (SELECT annotation, channel FROM outbox WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`

/**
 * A taken entry is one that is due again when its lease ends; the number of the attempt is its fence. Servers that take at the same
 * moment skip each other's rows. Times are the callers': where clocks differ, a lease may end early, and the entry is sent twice.
 */
export function createPostgresOutbox(pool: PostgresPool): OutboxStore {
  async function end({ annotation, channel, attempt }: OutboxAttempt, state: string, at: number, reason: string) {
    const rows = await pool.query(
      `UPDATE outbox SET state = $4, next_at = $5, reason = $6
       WHERE annotation = $1 AND channel = $2 AND attempts = $3 AND state = 'waiting' RETURNING 1`,
      [annotation, storable(channel), attempt, state, at, storable(reason)],
    )
    return rows.length === 1
  }

  return {
    async take({ now, limit, leaseMs }) {
      const taken = await pool.query<OutboxAttempt>(
        `WITH due AS MATERIALIZED (
           SELECT annotation, channel FROM outbox WHERE state = 'waiting' AND next_at <= $1 ORDER BY next_at, annotation
           LIMIT $3 FOR UPDATE SKIP LOCKED
         )
         UPDATE outbox o SET attempts = o.attempts + 1, next_at = $2 FROM due
         WHERE o.annotation = due.annotation AND o.channel = due.channel
         RETURNING o.annotation, o.channel, o.attempts AS attempt`,
        [now, now + leaseMs, limit],
      )
      return taken.sort((x, y) => x.annotation - y.annotation)
    },
    complete: (taken, now) => end(taken, 'sent', now, ''),
    retry: (taken, { at, reason }) => end(taken, 'waiting', at, reason),
    giveUp: (taken, { now, reason }) => end(taken, 'given-up', now, reason),
    find: (annotation) =>
      pool.query<OutboxEntry>(
        `SELECT annotation, channel, state, attempts, next_at AS "nextAt", created_at AS "createdAt", reason FROM outbox
         WHERE annotation = $1 ORDER BY channel`,
        [annotation],
      ),
    async removeBefore(at) {
      let removed = 0
      for (;;) {
        const rows = await pool.query(removeStatement, [at, PORTION])
        removed += rows.length
        if (rows.length < PORTION) return removed
      }
    },
  }
}
