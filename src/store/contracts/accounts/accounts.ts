import type { Account, AccountSettings, NotificationSettings } from '../../../core/account.ts'

/**
 * The accounts that can sign in. Passwords reach the store as hashes only. Removing an account removes its sessions and tokens;
 * the caller removes its profiles and annotations first.
 */
export type AccountStore = {
  /** Grows with every change of an account by any process. Sessions and tokens do not count. */
  revision(): Promise<number>
  /** By id, a page at a time. */
  list(page: { after: number; limit: number }): Promise<Account[]>
  count(): Promise<number>
  find(id: number): Promise<Account | null>
  /** E-mail addresses are compared in lower case. */
  findByEmail(email: string): Promise<StoredAccount | null>
  /** Null if the address is taken, or, with `onlyFirst`, if there is any account. */
  add(account: AccountDraft, options?: { onlyFirst: boolean }): Promise<Account | null>
  /** Refuses to demote or disable the last administrator who can sign in. Disabling an account ends its sessions. */
  update(id: number, changes: AccountChanges): Promise<AccountOutcome>
  remove(id: number): Promise<AccountOutcome>
}

/** `passwordHash` is '' if no password was set. */
export type StoredAccount = Account & { passwordHash: string }

export type AccountDraft = Omit<StoredAccount, 'id'>

/** Settings that are left out stay as they are. */
export type AccountChanges = Partial<Omit<AccountDraft, 'createdAt' | 'email' | 'settings'>> & {
  settings?: Partial<Omit<AccountSettings, 'notifications'>> & { notifications?: Partial<NotificationSettings> }
}

export type AccountOutcome =
  | { kind: 'done'; account: Account }
  | { kind: 'unknown' }
  /** Refused: no one else could administer the system. */
  | { kind: 'last-administrator' }
