import type { Account } from '../../../core/account.ts'
import type {
  AccountChanges,
  AccountDraft,
  AccountOutcome,
  AccountStore,
  StoredAccount,
} from '../../contracts/accounts/accounts.ts'
import {
  changedAccount,
  isAdministrator,
  losesAdministrator,
  storedSettings,
  withoutPassword,
} from '../../rules/accounts.ts'
import type { PostgresPool, Sender, Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { removeChannels } from '../inbox/deliveries.ts'
import { lockBase, revise, revisionOf } from './revisions.ts'

/**
 * E-mail addresses are stored in lower case, so that they match regardless of case. Account changes are serialised across all
 * processes: concurrent changes create only one first account, and leave at least one administrator.
 */
export function createPostgresAccounts(pool: PostgresPool): AccountStore {
  return {
    revision: () => revisionOf(pool, 'accounts'),
    async list({ after, limit }) {
      const sql = `SELECT ${accountColumns} FROM accounts a WHERE a.id > $1 ORDER BY a.id LIMIT $2`
      return (await pool.query<AccountRow>(sql, [after, limit])).map((row) => withoutPassword(accountOf(row)!))
    },
    async count() {
      const [row] = await pool.query<{ n: number }>('SELECT count(*) AS n FROM accounts')
      return row!.n
    },
    async find(id) {
      const account = await stored(pool, id)
      return account === null ? null : withoutPassword(account)
    },
    async findByEmail(email) {
      const sql = `SELECT ${accountColumns} FROM accounts a WHERE a.email = $1`
      return accountOf((await pool.query<AccountRow>(sql, [addressOf(email)]))[0])
    },
    add: (draft, options) => pool.transaction((tx) => add(tx, draft, options?.onlyFirst === true)),
    update: (id, changes) => pool.transaction((tx) => update(tx, id, changes)),
    remove: (id) => pool.transaction((tx) => remove(tx, id)),
  }
}

const addressOf = (email: string): string => storable(email.toLowerCase())

async function stored(sender: Sender, id: number): Promise<StoredAccount | null> {
  const sql = `SELECT ${accountColumns} FROM accounts a WHERE a.id = $1`
  return accountOf((await sender.query<AccountRow>(sql, [id]))[0])
}

async function isLast(tx: Tx, id: number): Promise<boolean> {
  const others = await tx.query(
    `SELECT 1 FROM accounts WHERE id <> $1 AND role = 'administrator' AND NOT disabled AND password <> '' LIMIT 1`,
    [id],
  )
  return others.length === 0
}

async function add(tx: Tx, draft: AccountDraft, onlyFirst: boolean): Promise<Account | null> {
  await lockBase(tx, 'accounts')
  if (onlyFirst && (await tx.query('SELECT 1 FROM accounts LIMIT 1')).length > 0) return null
  const { email, name, role, level, passwordHash, disabled, createdAt, settings } = draft
  const [row] = await tx.query<AccountRow>(
    `INSERT INTO accounts AS a (email, name, role, level, password, disabled, created_at, settings)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING ${accountColumns}`,
    [addressOf(email), storable(name), role, level, passwordHash, disabled, createdAt, JSON.stringify(settings)],
  )
  if (row === undefined) return null
  await revise(tx, 'accounts')
  return withoutPassword(accountOf(row)!)
}

async function update(tx: Tx, id: number, changes: AccountChanges): Promise<AccountOutcome> {
  await lockBase(tx, 'accounts')
  const before = await stored(tx, id)
  if (before === null) return { kind: 'unknown' }
  const after = changedAccount(before, changes)
  if (losesAdministrator(before, after) && (await isLast(tx, id))) return { kind: 'last-administrator' }
  const { name, role, level, passwordHash, disabled, settings } = after
  await tx.query(
    `UPDATE accounts SET name = $2, role = $3, level = $4, password = $5, disabled = $6, settings = $7 WHERE id = $1`,
    [id, storable(name), role, level, passwordHash, disabled, JSON.stringify(settings)],
  )
  if (disabled) await tx.query('DELETE FROM sessions WHERE account = $1', [id])
  await revise(tx, 'accounts')
  return { kind: 'done', account: withoutPassword(after) }
}

async function remove(tx: Tx, id: number): Promise<AccountOutcome> {
  await lockBase(tx, 'accounts')
  const before = await stored(tx, id)
  if (before === null) return { kind: 'unknown' }
  if (isAdministrator(before) && (await isLast(tx, id))) return { kind: 'last-administrator' }
  await tx.query('DELETE FROM accounts WHERE id = $1', [id])
  await tx.query('DELETE FROM sessions WHERE account = $1', [id])
  await tx.query('DELETE FROM tokens WHERE account = $1', [id])
  await tx.query('DELETE FROM unmuted WHERE owner = $1', [before.email])
  await tx.query('DELETE FROM story_splits WHERE owner = $1', [before.email])
  await removeChannels(tx, before.email)
  await revise(tx, 'accounts')
  return { kind: 'done', account: withoutPassword(before) }
}

/** Columns of a row `a`. */
export const accountColumns =
  'a.id, a.email, a.name, a.role, a.level, a.password AS "passwordHash", a.disabled, a.created_at AS "createdAt", a.settings'

export type AccountRow = Omit<StoredAccount, 'settings'> & { settings: string }

export function accountOf(row: AccountRow | undefined): StoredAccount | null {
  return row === undefined ? null : { ...row, settings: storedSettings(row.settings) }
}

const ACCOUNT = 'account_'

/** Columns of the account for a join with a session or token, distinguished by a prefix. */
export const bearerColumns = accountColumns.replaceAll(
  /a\.(\w+)( AS "(\w+)")?/g,
  (_, column: string, __: string, name?: string) => `a.${column} AS "${ACCOUNT}${name ?? column}"`,
)

/** Splits a joined row into the account's columns and the rest. */
export function splitBearer<T>(row: Record<string, unknown>): { own: T; account: Account } {
  const columns = Object.entries(row)
  const own = columns.filter(([name]) => !name.startsWith(ACCOUNT))
  const account = columns.filter(([name]) => name.startsWith(ACCOUNT))
  const renamed = account.map(([name, value]) => [name.slice(ACCOUNT.length), value])
  return { own: Object.fromEntries(own) as T, account: withoutPassword(accountOf(Object.fromEntries(renamed))!) }
}
