import type { Session, SessionStore } from '../../contracts/accounts/sessions.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { bearerColumns, splitBearer } from './account-rows.ts'

const columns =
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
        `SELECT ${columns}, ${bearerColumns} FROM sessions s JOIN accounts a ON a.id = s.account
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
        `SELECT ${columns} FROM sessions s WHERE s.account = $1 AND s.expires_at > $2 ORDER BY s.seen_at DESC, s.id DESC`,
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
