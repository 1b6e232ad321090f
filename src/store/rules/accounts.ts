import type { Account } from '../../core/account.ts'
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

export type TokenRow = Omit<Token, 'scopes'> & { scopes: string }

export function tokenOf({ scopes, ...plain }: TokenRow): Token {
  return { ...plain, scopes: JSON.parse(scopes) }
}
