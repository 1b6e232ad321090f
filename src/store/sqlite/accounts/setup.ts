import type { SetupStore } from '../../contracts/accounts/setup.ts'
import type { Database } from '../folder/database.ts'

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
