import type { SetupStore } from '../../contracts/accounts/setup.ts'
import type { SignInFailureStore, SignInFailures } from '../../contracts/accounts/sign-in-failures.ts'
import type { Database } from '../folder/database.ts'

export function createSqliteSignInFailures(db: Database): SignInFailureStore {
  const sql = {
    find: db.prepare('SELECT count, last_at AS lastAt FROM failures WHERE key = ?'),
    record: db.prepare(
      `INSERT INTO failures (key, count, last_at) VALUES (?, 1, ?) ON CONFLICT DO UPDATE
       SET count = count + 1, last_at = excluded.last_at RETURNING count, last_at AS lastAt`,
    ),
    clear: db.prepare('DELETE FROM failures WHERE key = ?'),
    clearBefore: db.prepare('DELETE FROM failures WHERE last_at < ?'),
  }
  return {
    async find(key) {
      const found = db.read(() => sql.find.get(key)) as SignInFailures | undefined
      return found === undefined ? { count: 0, lastAt: 0 } : { ...found }
    },
    record: async (key, at) => ({ ...(db.write(() => sql.record.get(key, at)) as SignInFailures) }),
    async clear(keys) {
      db.write(() => {
        for (const key of keys) sql.clear.run(key)
      })
    },
    clearBefore: async (at) => db.write(() => Number(sql.clearBefore.run(at).changes)),
  }
}

export function createSqliteSetup(db: Database): SetupStore {
  const sql = {
    find: db.prepare(`SELECT value FROM facts WHERE name = 'setup'`),
    set: db.prepare(`INSERT OR REPLACE INTO facts (name, value) VALUES ('setup', ?)`),
    forget: db.prepare(`DELETE FROM facts WHERE name = 'setup'`),
  }
  return {
    agree: async (fresh) => fresh,
    hash: async () => (db.read(() => sql.find.get()) as { value: Uint8Array } | undefined)?.value ?? null,
    async setHash(hash) {
      db.write(() => (hash === null ? sql.forget.run() : sql.set.run(hash)))
    },
  }
}
