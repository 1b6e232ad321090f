import { setImmediate } from 'node:timers/promises'
import type { OutboxEntry, OutboxStore } from '../../contracts/outbox.ts'
import type { Database } from '../folder/database.ts'

const PORTION = 1_000

/** A taken entry is one that is due again when its lease ends. Everything that ends an attempt names it, so that it ends no later one. */
export function createSqliteOutbox(db: Database): OutboxStore {
  const attempt = `WHERE annotation = ? AND channel = ? AND attempts = ? AND state = 'waiting'`
  const sql = {
    take: db.prepare(
      `UPDATE outbox SET attempts = attempts + 1, next_at = ?2 WHERE (annotation, channel) IN
       (SELECT annotation, channel FROM outbox WHERE state = 'waiting' AND next_at <= ?1 ORDER BY next_at, annotation LIMIT ?3)
       RETURNING annotation, channel, attempts AS attempt`,
    ),
    end: db.prepare(`UPDATE outbox SET state = ?, next_at = ?, reason = ? ${attempt}`),
    find: db.prepare(
      `SELECT annotation, channel, state, attempts, next_at AS nextAt, created_at AS createdAt, reason FROM outbox
       WHERE annotation = ? ORDER BY channel`,
    ),
    removeBefore: db.prepare(
      `DELETE FROM outbox WHERE (annotation, channel) IN
       (SELECT annotation, channel FROM outbox WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
    ),
  }
  type Taken = Awaited<ReturnType<OutboxStore['take']>>
  const end = (
    { annotation, channel, attempt: n }: Taken[number],
    state: string,
    at: number,
    reason: string,
  ): boolean => db.write(() => sql.end.run(state, at, reason, annotation, channel, n).changes === 1)

  return {
    async take({ now, limit, leaseMs }) {
      const rows = db.write(() => sql.take.all(now, now + leaseMs, limit)) as Taken
      return rows.map((row) => ({ ...row })).sort((x, y) => x.annotation - y.annotation)
    },
    complete: async (taken, now) => end(taken, 'sent', now, ''),
    retry: async (taken, { at, reason }) => end(taken, 'waiting', at, reason),
    giveUp: async (taken, { now, reason }) => end(taken, 'given-up', now, reason),
    find: async (annotation) =>
      (db.read(() => sql.find.all(annotation)) as OutboxEntry[]).map((entry) => ({ ...entry })),
    async removeBefore(at) {
      let removed = 0
      for (;;) {
        const portion = db.write(() => Number(sql.removeBefore.run(at, PORTION).changes))
        removed += portion
        if (portion < PORTION) return removed
        await setImmediate()
      }
    },
  }
}
