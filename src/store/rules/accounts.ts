import { type Account, type AccountSettings, defaultAccountSettings } from '../../core/account.ts'
import type { StoredAccount } from '../contracts/accounts/accounts.ts'
import type { Token } from '../contracts/accounts/tokens.ts'

/** One active administrator must remain: engines check that there is another before they remove or demote one. */
export const isAdministrator = ({ role, disabled }: Account): boolean => role === 'administrator' && !disabled

export function losesAdministrator(before: StoredAccount, after: StoredAccount): boolean {
  if (!isAdministrator(before)) return false
  return !isAdministrator(after) || (before.passwordHash !== '' && after.passwordHash === '')
}

export function withoutPassword({ passwordHash: _, ...account }: StoredAccount): Account {
  return account
}

/** Settings from their stored JSON. Settings that older accounts lack get their defaults. */
export function storedSettings(text: string): AccountSettings {
  return { ...defaultAccountSettings, ...(JSON.parse(text) as Partial<AccountSettings>) }
}

/** Scopes are stored as JSON. */
export type TokenRow = Omit<Token, 'scopes'> & { scopes: string }

export const readToken = ({ scopes, ...plain }: TokenRow): Token => ({ ...plain, scopes: JSON.parse(scopes) })
