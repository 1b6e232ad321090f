import type { Account } from '../../../core/account.ts'
import type { Database } from '../folder/database.ts'

export const accountColumns =
  'id, email, name, role, level, password AS passwordHash, disabled, created_at AS createdAt, settings'

export type StoredAccount = Account & { passwordHash: string }

type AccountRow = Omit<StoredAccount, 'disabled' | 'settings'> & { disabled: 0 | 1; settings: string }

export function accountOf(row: unknown): StoredAccount | null {
  if (row === undefined) return null
  const { disabled, settings, ...plain } = row as AccountRow
  return { ...plain, disabled: disabled === 1, settings: JSON.parse(settings) }
}

export function publicOf({ passwordHash: _, ...account }: StoredAccount): Account {
  return account
}

/** Whoever a session or a token stands for; null where nobody may use it any more. */
export function createBearers(db: Database): (account: number) => Account | null {
  const find = db.prepare(`SELECT ${accountColumns} FROM accounts WHERE id = ? AND disabled = 0`)
  return (account) => {
    const found = accountOf(find.get(account))
    return found === null ? null : publicOf(found)
  }
}
