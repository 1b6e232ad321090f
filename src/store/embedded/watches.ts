import type { WatchRow, WatchStore } from '../watches.ts'
import type { Database } from './database.ts'

const columns = `SELECT id, key, uri, landed, round, finished_mark AS finishedMark, checked_at AS checkedAt, outcome, status, state FROM watches`

export function createEmbeddedWatches(db: Database): WatchStore {
  const sql = {
    all: db.prepare(`${columns} ORDER BY id`),
    one: db.prepare(`${columns} WHERE id = ?`),
    newest: db.prepare('SELECT coalesce(max(id), 0) AS id FROM versions'),
    begin: db.prepare('UPDATE watches SET round = ?, mark = ? WHERE id = ?'),
    finish: db.prepare(
      `UPDATE watches SET finished_mark = mark, checked_at = ?, outcome = ?, status = ?, landed = coalesce(?, landed) WHERE id = ?`,
    ),
    visited: db.prepare('UPDATE urds SET visited_at = ? WHERE id = ? AND watch = ? AND visited_at = 0'),
    saveState: db.prepare('UPDATE watches SET state = ? WHERE id = ?'),
  }
  return {
    all: async () => db.read(() => sql.all.all()) as WatchRow[],
    find: async (ids) => db.read(() => ids.flatMap((id) => (sql.one.get(id) as WatchRow | undefined) ?? [])),
    async begin(rounds) {
      return db.write(() => {
        const { id } = sql.newest.get() as { id: number }
        for (const { watch, round } of rounds) sql.begin.run(round, id, watch)
        return id
      })
    },
    async finish(outcomes) {
      db.write(() => {
        for (const { watch, checkedAt, outcome, status, landed, visited } of outcomes) {
          sql.finish.run(checkedAt, outcome, status, landed, watch)
          for (const urd of visited) sql.visited.run(checkedAt, urd, watch)
        }
      })
    },
    async saveStates(states) {
      db.write(() => {
        for (const { watch, state } of states) sql.saveState.run(state, watch)
      })
    },
  }
}
