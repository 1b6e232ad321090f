import type { TokenStore } from '../../contracts/accounts/tokens.ts'
import { type TokenRow, tokenOf } from '../../rules/accounts.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { bearerColumns, splitBearer } from './account-rows.ts'

const columns =
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
        `SELECT ${columns}, ${bearerColumns} FROM tokens t JOIN accounts a ON a.id = t.account
         WHERE t.hash = $1 AND (t.expires_at = 0 OR t.expires_at > $2) AND NOT a.disabled`,
        [hash, now],
      )
      if (row === undefined) return null
      const { own, account } = splitBearer<TokenRow>(row)
      return { token: tokenOf(own), account }
    },
    async touch(id, usedAt) {
      await pool.query('UPDATE tokens SET used_at = $2 WHERE id = $1', [id, usedAt])
    },
    async list(account) {
      const sql = `SELECT ${columns} FROM tokens t WHERE t.account = $1 ORDER BY t.id`
      return (await pool.query<TokenRow>(sql, [account])).map(tokenOf)
    },
    async remove(account, id) {
      const sql = 'DELETE FROM tokens WHERE account = $1 AND id = $2 RETURNING 1'
      return (await pool.query(sql, [account, id])).length > 0
    },
  }
}
