import type { WatchCheck, WatchOutcome, WatchStore } from '../../contracts/watches.ts'
import { isFailingSql, MAX_CHECKS, type StoredWatch, tookMs, visitsText, watchOf } from '../../rules/watch-checks.ts'
import type { Database } from '../folder/database.ts'

const columns = `SELECT id, key, uri, landed, round, mark, finished_mark AS finishedMark, checked_at AS checkedAt, outcome, status, since,
  changed_at AS changedAt, state, visits FROM watches`

export function createSqliteWatches(db: Database): WatchStore {
  const sql = {
    all: db.prepare(`${columns} ORDER BY id`),
    one: db.prepare(`${columns} WHERE id = ?`),
    newestRound: db.prepare('SELECT coalesce(max(max(round, checked_at)), 0) AS at FROM watches'),
    newest: db.prepare('SELECT coalesce(max(id), 0) AS id FROM versions'),
    begin: db.prepare('UPDATE watches SET round = ?, mark = ?, visits = ? WHERE id = ?'),
    finish: db.prepare(
      `UPDATE watches SET finished_mark = mark, checked_at = :at, status = :status, landed = coalesce(:landed, landed),
       since = iif(since = 0 OR ${isFailingSql('outcome')} <> ${isFailingSql(':outcome')}, :at, since), outcome = :outcome,
       changed_at = iif(:changes > 0, :at, changed_at), visits = '' WHERE id = :watch RETURNING round`,
    ),
    // Checks with a later time than the newest one are from before the clock was set back.
    dropLater: db.prepare('DELETE FROM checks WHERE watch = ? AND at >= ?'),
    addCheck: db.prepare('INSERT INTO checks (watch, at, outcome, status, changed, took_ms) VALUES (?, ?, ?, ?, ?, ?)'),
    dropOld: db.prepare(
      `DELETE FROM checks WHERE watch = ?1 AND at <= (SELECT at FROM checks WHERE watch = ?1
       ORDER BY at DESC LIMIT 1 OFFSET ${MAX_CHECKS})`,
    ),
    checks: db.prepare(
      'SELECT at, outcome, status, changed, took_ms AS tookMs FROM checks WHERE watch = ? ORDER BY at DESC LIMIT ?',
    ),
    visited: db.prepare('UPDATE urds SET visited_at = ? WHERE id = ? AND watch = ? AND visited_at = 0'),
    saveState: db.prepare('UPDATE watches SET state = ? WHERE id = ?'),
  }

  function finish({ watch, checkedAt, outcome, status, changes, landed, visited, isVisit }: WatchOutcome): void {
    const row = sql.finish.get({ at: checkedAt, outcome, status, changes, landed, watch }) as
      | { round: number }
      | undefined
    if (row === undefined) return
    for (const urd of visited) sql.visited.run(checkedAt, urd, watch)
    if (isVisit === true) return
    sql.dropLater.run(watch, checkedAt)
    sql.addCheck.run(watch, checkedAt, outcome, status, changes, tookMs(row.round, checkedAt))
    sql.dropOld.run(watch)
  }

  return {
    all: async () => (db.read(() => sql.all.all()) as StoredWatch[]).map(watchOf),
    find: async (ids) =>
      db.read(() => ids.flatMap((id) => (sql.one.get(id) as StoredWatch | undefined) ?? []).map(watchOf)),
    newestRound: async () => (db.read(() => sql.newestRound.get()) as { at: number }).at,
    async begin(rounds) {
      return db.write(() => {
        const { id } = sql.newest.get() as { id: number }
        for (const { watch, round, visits } of rounds) sql.begin.run(round, id, visitsText(visits), watch)
        return id
      })
    },
    async finish(outcomes) {
      db.write(() => {
        for (const outcome of outcomes) finish(outcome)
      })
    },
    async saveStates(states) {
      db.write(() => {
        for (const { watch, state } of states) sql.saveState.run(state, watch)
      })
    },
    checks: async (watch, limit) =>
      (db.read(() => sql.checks.all(watch, limit)) as WatchCheck[]).map((row) => ({ ...row })),
  }
}
