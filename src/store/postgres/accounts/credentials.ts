import type { Session, SessionStore } from '../../contracts/accounts/sessions.ts'
import type { TokenStore } from '../../contracts/accounts/tokens.ts'
import { readToken, type TokenRow } from '../../rules/accounts.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { bearerColumns, splitBearer } from './accounts.ts'

const sessionColumns =
  's.id, s.account, s.created_at AS "createdAt", s.seen_at AS "seenAt", s.expires_at AS "expiresAt", s.agent, s.address'

export function createPostgresSessions(pool: PostgresPool): SessionStore {
  const removed = async (condition: string, values: readonly unknown[]): Promise<number> =>
    (await pool.query(`DELETE FROM sessions WHERE ${condition} RETURNING 1`, values)).length

  return {
    async add({ hash, account, createdAt, expiresAt, agent, address }) {
      // An account that was disabled or removed after the password was checked gets no session; the row lock covers one that is
      // being disabled right now.
      await pool.query(
        `INSERT INTO sessions (hash, account, created_at, seen_at, expires_at, agent, address)
         SELECT $1::bytea, id, $3::bigint, $3::bigint, $4::bigint, $5::text, $6::text FROM accounts WHERE id = $2 AND NOT disabled FOR SHARE`,
        [hash, account, createdAt, expiresAt, storable(agent), storable(address)],
      )
    },
    async find(hash, now) {
      const [row] = await pool.query(
        `SELECT ${sessionColumns}, ${bearerColumns} FROM sessions s JOIN accounts a ON a.id = s.account
         WHERE s.hash = $1 AND s.expires_at > $2 AND NOT a.disabled`,
        [hash, now],
      )
      if (row === undefined) return null
      const { own, account } = splitBearer<Session>(row)
      return { session: own, account }
    },
    async touch(id, { seenAt, expiresAt }) {
      await pool.query('UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE id = $1', [id, seenAt, expiresAt])
    },
    list: (account, now) =>
      pool.query<Session>(
        `SELECT ${sessionColumns} FROM sessions s WHERE s.account = $1 AND s.expires_at > $2 ORDER BY s.seen_at DESC, s.id DESC`,
        [account, now],
      ),
    async remove(account, which) {
      if (which === 'all') return removed('account = $1', [account])
      if ('id' in which) return removed('account = $1 AND id = $2', [account, which.id])
      return removed('account = $1 AND id <> $2', [account, which.except])
    },
    removeExpired: (now) => removed('expires_at <= $1', [now]),
  }
}

const tokenColumns =
  't.id, t.account, t.name, t.scopes, t.created_at AS "createdAt", t.used_at AS "usedAt", t.expires_at AS "expiresAt"'

export function createPostgresTokens(pool: PostgresPool): TokenStore {
  return {
    async add({ hash, ...draft }) {
      const { account, name, scopes, createdAt, expiresAt } = draft
      const [row] = await pool.query<{ id: number }>(
        `INSERT INTO tokens (hash, account, name, scopes, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
        [hash, account, storable(name), JSON.stringify(scopes), createdAt, expiresAt],
      )
      return { ...draft, scopes: [...scopes], id: row!.id, usedAt: 0 }
    },
    async find(hash, now) {
      const [row] = await pool.query(
        `SELECT ${tokenColumns}, ${bearerColumns} FROM tokens t JOIN accounts a ON a.id = t.account
         WHERE t.hash = $1 AND (t.expires_at = 0 OR t.expires_at > $2) AND NOT a.disabled`,
        [hash, now],
      )
      if (row === undefined) return null
      const { own, account } = splitBearer<TokenRow>(row)
      return { token: readToken(own), account }
    },
    async touch(id, usedAt) {
      await pool.query('UPDATE tokens SET used_at = $2 WHERE id = $1', [id, usedAt])
    },
    async list(account) {
      const sql = `SELECT ${tokenColumns} FROM tokens t WHERE t.account = $1 ORDER BY t.id`
      return (await pool.query<TokenRow>(sql, [account])).map(readToken)
    },
    async remove(account, id) {
      const sql = 'DELETE FROM tokens WHERE account = $1 AND id = $2 RETURNING 1'
      return (await pool.query(sql, [account, id])).length > 0
    },
  }
}
