import { type Account, type AccountSettings, defaultAccountSettings } from '../../core/account.ts'
import type { AccountChanges, StoredAccount } from '../contracts/accounts/accounts.ts'
import type { Token } from '../contracts/accounts/tokens.ts'

/** One active administrator must remain: engines check that there is another before they remove or demote one. */
export const isAdministrator = ({ role, disabled }: Account): boolean => role === 'administrator' && !disabled

export function losesAdministrator(before: StoredAccount, after: StoredAccount): boolean {
  if (!isAdministrator(before)) return false
  return !isAdministrator(after) || (before.passwordHash !== '' && after.passwordHash === '')
}

/** Id and address never change. */
export function changedAccount(before: StoredAccount, { settings = {}, ...changes }: AccountChanges): StoredAccount {
  const notifications = { ...before.settings.notifications, ...settings.notifications }
  const { id, email } = before
  return { ...before, ...changes, id, email, settings: { ...before.settings, ...settings, notifications } }
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
