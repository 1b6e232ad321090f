import type { Session, SessionStore } from '../../contracts/accounts/sessions.ts'
import type { TokenStore } from '../../contracts/accounts/tokens.ts'
import { readToken, type TokenRow } from '../../rules/accounts.ts'
import type { Database } from '../folder/database.ts'
import { createBearers } from './accounts.ts'

const sessionColumns =
  'id, account, created_at AS createdAt, seen_at AS seenAt, expires_at AS expiresAt, agent, address'

export function createSqliteSessions(db: Database): SessionStore {
  const bearer = createBearers(db)
  const sql = {
    // An account that was disabled or removed after the password was checked gets no session.
    add: db.prepare(
      `INSERT INTO sessions (hash, account, created_at, seen_at, expires_at, agent, address)
       SELECT ?1, id, ?3, ?3, ?4, ?5, ?6 FROM accounts WHERE id = ?2 AND disabled = 0`,
    ),
    find: db.prepare(`SELECT ${sessionColumns} FROM sessions WHERE hash = ? AND expires_at > ?`),
    touch: db.prepare('UPDATE sessions SET seen_at = ?, expires_at = ? WHERE id = ?'),
    list: db.prepare(
      `SELECT ${sessionColumns} FROM sessions WHERE account = ? AND expires_at > ? ORDER BY seen_at DESC, id DESC`,
    ),
    removeOne: db.prepare('DELETE FROM sessions WHERE account = ? AND id = ?'),
    removeOthers: db.prepare('DELETE FROM sessions WHERE account = ? AND id <> ?'),
    removeAll: db.prepare('DELETE FROM sessions WHERE account = ?'),
    removeExpired: db.prepare('DELETE FROM sessions WHERE expires_at <= ?'),
  }
  return {
    async add({ hash, account, createdAt, expiresAt, agent, address }) {
      db.write(() => sql.add.run(hash, account, createdAt, expiresAt, agent, address))
    },
    async find(hash, now) {
      return db.read(() => {
        const row = sql.find.get(hash, now) as Session | undefined
        const account = row === undefined ? null : bearer(row.account)
        return account === null ? null : { session: { ...row! }, account }
      })
    },
    async touch(id, { seenAt, expiresAt }) {
      db.write(() => sql.touch.run(seenAt, expiresAt, id))
    },
    list: async (account, now) => (db.read(() => sql.list.all(account, now)) as Session[]).map((row) => ({ ...row })),
    async remove(account, which) {
      return db.write(() => {
        if (which === 'all') return Number(sql.removeAll.run(account).changes)
        if ('id' in which) return Number(sql.removeOne.run(account, which.id).changes)
        return Number(sql.removeOthers.run(account, which.except).changes)
      })
    },
    removeExpired: async (now) => db.write(() => Number(sql.removeExpired.run(now).changes)),
  }
}

const tokenColumns = 'id, account, name, scopes, created_at AS createdAt, used_at AS usedAt, expires_at AS expiresAt'

export function createSqliteTokens(db: Database): TokenStore {
  const bearer = createBearers(db)
  const sql = {
    add: db.prepare(
      'INSERT INTO tokens (hash, account, name, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    find: db.prepare(`SELECT ${tokenColumns} FROM tokens WHERE hash = ? AND (expires_at = 0 OR expires_at > ?)`),
    touch: db.prepare('UPDATE tokens SET used_at = ? WHERE id = ?'),
    list: db.prepare(`SELECT ${tokenColumns} FROM tokens WHERE account = ? ORDER BY id`),
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
        return account === null ? null : { token: readToken(row!), account }
      })
    },
    async touch(id, usedAt) {
      db.write(() => sql.touch.run(usedAt, id))
    },
    list: async (account) => (db.read(() => sql.list.all(account)) as TokenRow[]).map(readToken),
    remove: async (account, id) => db.write(() => Number(sql.remove.run(account, id).changes) > 0),
  }
}
