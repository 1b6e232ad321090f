import type { TokenStore } from '../../contracts/accounts/tokens.ts'
import { type TokenRow, tokenOf } from '../../rules/accounts.ts'
import type { Database } from '../folder/database.ts'
import { createBearers } from './account-rows.ts'

const columns = 'id, account, name, scopes, created_at AS createdAt, used_at AS usedAt, expires_at AS expiresAt'

export function createSqliteTokens(db: Database): TokenStore {
  const bearer = createBearers(db)
  const sql = {
    add: db.prepare(
      'INSERT INTO tokens (hash, account, name, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    find: db.prepare(`SELECT ${columns} FROM tokens WHERE hash = ? AND (expires_at = 0 OR expires_at > ?)`),
    touch: db.prepare('UPDATE tokens SET used_at = ? WHERE id = ?'),
    list: db.prepare(`SELECT ${columns} FROM tokens WHERE account = ? ORDER BY id`),
    remove: db.prepare('DELETE FROM tokens WHERE account = ? AND id = ?'),
  }
  return {
    async add({ hash, ...draft }) {
      const { account, name, scopes, createdAt, expiresAt } = draft
      const values = [hash, account, name, JSON.stringify(scopes), createdAt, expiresAt]
      const { lastInsertRowid } = db.write(() => sql.add.run(...values))
      return { ...draft, scopes: [...scopes], id: Number(lastInsertRowid), usedAt: 0 }
    },
    async find(hash, now) {
      return db.read(() => {
        const row = sql.find.get(hash, now) as TokenRow | undefined
        const account = row === undefined ? null : bearer(row.account)
        return account === null ? null : { token: tokenOf(row!), account }
      })
    },
    async touch(id, usedAt) {
      db.write(() => sql.touch.run(usedAt, id))
    },
    list: async (account) => (db.read(() => sql.list.all(account)) as TokenRow[]).map(tokenOf),
    remove: async (account, id) => db.write(() => Number(sql.remove.run(account, id).changes) > 0),
  }
}
