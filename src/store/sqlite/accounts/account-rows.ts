import type { Account } from '../../../core/account.ts'
import type { StoredAccount } from '../../contracts/accounts/accounts.ts'
import { withoutPassword } from '../../rules/accounts.ts'
import type { Database } from '../folder/database.ts'

export const accountSelect =
  'id, email, name, role, level, password AS passwordHash, disabled, created_at AS createdAt, settings'

type AccountRow = Omit<StoredAccount, 'disabled' | 'settings'> & { disabled: 0 | 1; settings: string }

export function accountOfRow(row: unknown): StoredAccount | null {
  if (row === undefined) return null
  const { disabled, settings, ...plain } = row as AccountRow
  return { ...plain, disabled: disabled === 1, settings: JSON.parse(settings) }
}

/** The account behind a session or a token; null where it may not be used any more. */
export function createBearers(db: Database): (account: number) => Account | null {
  const find = db.prepare(`SELECT ${accountSelect} FROM accounts WHERE id = ? AND disabled = 0`)
  return (account) => {
    const found = accountOfRow(find.get(account))
    return found === null ? null : withoutPassword(found)
  }
}
