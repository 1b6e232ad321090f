import type { ServerSecretStore } from '../../contracts/accounts/server-secrets.ts'
import type { SetupStore } from '../../contracts/accounts/setup.ts'
import type { SignInFailureStore, SignInFailures } from '../../contracts/accounts/sign-in-failures.ts'
import type { Database } from '../folder/database.ts'

export function createSqliteSignInFailures(db: Database): SignInFailureStore {
  const sql = {
    find: db.prepare('SELECT count, last_at AS lastAt FROM failures WHERE key = ?'),
    insert: db.prepare('INSERT INTO failures (count, last_at, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    update: db.prepare('UPDATE failures SET count = ?, last_at = ? WHERE key = ? AND count = ? AND last_at = ?'),
    remove: db.prepare('DELETE FROM failures WHERE key = ? AND count = ? AND last_at = ?'),
    clear: db.prepare('DELETE FROM failures WHERE key = ?'),
    clearBefore: db.prepare('DELETE FROM failures WHERE last_at < ?'),
  }
  return {
    async find(key) {
      const found = db.read(() => sql.find.get(key)) as SignInFailures | undefined
      return found === undefined ? { count: 0, lastAt: 0 } : { ...found }
    },
    async replace(key, expected, next) {
      const { changes } = db.write(() => {
        if (expected.count === 0) return sql.insert.run(next.count, next.lastAt, key)
        if (next.count === 0) return sql.remove.run(key, expected.count, expected.lastAt)
        return sql.update.run(next.count, next.lastAt, key, expected.count, expected.lastAt)
      })
      return Number(changes) === 1
    },
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

export function createSqliteServerSecrets(db: Database): ServerSecretStore {
  const sql = {
    add: db.prepare('INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    find: db.prepare('SELECT value FROM facts WHERE name = ?'),
  }
  return {
    agree: async (name, fresh) =>
      db.write(() => {
        sql.add.run(`secret ${name}`, fresh)
        return (sql.find.get(`secret ${name}`) as { value: Uint8Array }).value
      }),
  }
}
