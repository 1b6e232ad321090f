import type { Account } from '../../../core/account.ts'
import type { StoredAccount } from '../../contracts/accounts/accounts.ts'
import { withoutPassword } from '../../rules/accounts.ts'

/** Of a row `a`. */
export const accountColumns =
  'a.id, a.email, a.name, a.role, a.level, a.password AS "passwordHash", a.disabled, a.created_at AS "createdAt", a.settings'

export type AccountRow = Omit<StoredAccount, 'settings'> & { settings: string }

export function accountOf(row: AccountRow | undefined): StoredAccount | null {
  return row === undefined ? null : { ...row, settings: JSON.parse(row.settings) }
}

/** Columns of the account beside those of a session or token, told apart by their prefix. */
export const bearerColumns = accountColumns.replaceAll(
  /a\.(\w+)( AS "(\w+)")?/g,
  (_, column: string, __: string, name?: string) => `a.${column} AS "account_${name ?? column}"`,
)

/** Takes a joined row apart: the account's columns, and the rest. */
export function splitBearer<T>(row: Record<string, unknown>): { own: T; account: Account } {
  const own: Record<string, unknown> = {}
  const account: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row))
    if (name.startsWith('account_')) account[name.slice('account_'.length)] = value
    else own[name] = value
  return { own: own as T, account: withoutPassword(accountOf(account as AccountRow)!) }
}
