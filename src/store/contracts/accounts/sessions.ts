import type { Account } from '../../../core/account.ts'

/** Signed-in browsers. The secret in the cookie reaches the store as a hash only. */
export type SessionStore = {
  /** Adds nothing if the account is disabled or gone. */
  add(session: SessionDraft): Promise<void>
  /** Null if the session is unknown or expired, or its account is disabled. */
  find(hash: Uint8Array, now: number): Promise<{ session: Session; account: Account } | null>
  /** Records a use and extends the expiry. */
  touch(id: number, times: { seenAt: number; expiresAt: number }): Promise<void>
  /** Unexpired sessions of one account, most recently used first. */
  list(account: number, now: number): Promise<Session[]>
  /** Removes one, all but one, or all sessions of an account. Returns how many. */
  remove(account: number, which: { id: number } | { except: number } | 'all'): Promise<number>
  removeExpired(now: number): Promise<number>
}

export type SessionDraft = {
  hash: Uint8Array
  account: number
  createdAt: number
  expiresAt: number
  /** The User-Agent header. */
  agent: string
  address: string
}

export type Session = Omit<SessionDraft, 'hash'> & { id: number; seenAt: number }
