import type { AccountStore, Failures } from '../../contracts/accounts.ts'
import type { Database } from '../folder/database.ts'

type FailureStore = Pick<AccountStore, 'failures' | 'noteFailure' | 'forgetFailures' | 'forgetFailuresBefore'>

export function createFailures(db: Database): FailureStore {
  const sql = {
    find: db.prepare('SELECT count, last_at AS lastAt FROM failures WHERE key = ?'),
    note: db.prepare(
      `INSERT INTO failures (key, count, last_at) VALUES (?, 1, ?) ON CONFLICT DO UPDATE
       SET count = count + 1, last_at = excluded.last_at RETURNING count, last_at AS lastAt`,
    ),
    forget: db.prepare('DELETE FROM failures WHERE key = ?'),
    forgetBefore: db.prepare('DELETE FROM failures WHERE last_at < ?'),
  }
  return {
    async failures(key) {
      const found = db.read(() => sql.find.get(key)) as Failures | undefined
      return found === undefined ? { count: 0, lastAt: 0 } : { ...found }
    },
    noteFailure: async (key, at) => ({ ...(db.write(() => sql.note.get(key, at)) as Failures) }),
    async forgetFailures(keys) {
      db.write(() => {
        for (const key of keys) sql.forget.run(key)
      })
    },
    forgetFailuresBefore: async (at) => db.write(() => Number(sql.forgetBefore.run(at).changes)),
  }
}
