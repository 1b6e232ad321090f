import type { WatchRow, WatchStore } from '../watches.ts'
import type { Database } from './database.ts'

export function createEmbeddedWatches(db: Database): WatchStore {
  const sql = {
    all: db.prepare(
      `SELECT id, key, uri, landed, round, finished_round AS finishedRound, checked_at AS checkedAt, outcome, status, state FROM watches ORDER BY id`,
    ),
    begin: db.prepare('UPDATE watches SET round = ? WHERE id = ?'),
    finish: db.prepare(
      `UPDATE watches SET finished_round = ?, checked_at = ?, outcome = ?, status = ?, landed = coalesce(?, landed) WHERE id = ?`,
    ),
    visited: db.prepare('UPDATE urds SET visited_at = ? WHERE id = ? AND visited_at = 0'),
    saveState: db.prepare('UPDATE watches SET state = ? WHERE id = ?'),
  }
  return {
    all: async () => db.read(() => sql.all.all()) as WatchRow[],
    async begin(rounds) {
      db.write(() => {
        for (const { watch, round } of rounds) sql.begin.run(round, watch)
      })
    },
    async finish(outcomes) {
      db.write(() => {
        for (const { watch, round, checkedAt, outcome, status, landed, visited } of outcomes) {
          sql.finish.run(round, checkedAt, outcome, status, landed, watch)
          for (const urd of visited) sql.visited.run(checkedAt, urd)
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
