import { type Account, type AccountSettings, defaultAccountSettings } from '../../core/account.ts'
import type { StoredAccount } from '../contracts/accounts/accounts.ts'
import type { Token } from '../contracts/accounts/tokens.ts'

/** Somebody who can administer must be left: an engine asks for another administrator before it lets this one go. */
export const isAdministrator = ({ role, disabled }: Account): boolean => role === 'administrator' && !disabled

export function losesAdministrator(before: StoredAccount, after: StoredAccount): boolean {
  if (!isAdministrator(before)) return false
  return !isAdministrator(after) || (before.passwordHash !== '' && after.passwordHash === '')
}

export function withoutPassword({ passwordHash: _, ...account }: StoredAccount): Account {
  return account
}

/** Settings from their stored JSON. What accounts of earlier times don't have gets its default. */
export function storedSettings(text: string): AccountSettings {
  return { ...defaultAccountSettings, ...(JSON.parse(text) as Partial<AccountSettings>) }
}

/** Scopes are stored as JSON. */
export type TokenRow = Omit<Token, 'scopes'> & { scopes: string }

export const readToken = ({ scopes, ...plain }: TokenRow): Token => ({ ...plain, scopes: JSON.parse(scopes) })
