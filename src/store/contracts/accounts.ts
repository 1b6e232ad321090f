import type { Account, TokenScope } from '../../core/account.ts'

/**
 * Who may sign in, and as whom somebody is known. Secrets come here as hashes only. An account that goes takes its
 * sessions and tokens along; its profiles and annotations are the caller's to remove first.
 */
export type AccountStore = {
  /** Grows with every change of an account, whoever makes it; sessions and tokens do not count. */
  revision(): Promise<number>
  /** In the order of their ids, a page at a time. */
  list(page: { after: number; limit: number }): Promise<Account[]>
  count(): Promise<number>
  find(id: number): Promise<Account | null>
  /** With the hash of the password; '' where none was set. Addresses are compared in small letters. */
  findByEmail(email: string): Promise<(Account & { passwordHash: string }) | null>
  /** Null where the address is taken, or with `onlyFirst` where there is any account. */
  add(account: AccountDraft, options?: { onlyFirst: boolean }): Promise<Account | null>
  /** The last administrator that can sign in stays one. */
  update(id: number, changes: AccountChanges): Promise<AccountOutcome>
  remove(id: number): Promise<AccountOutcome>

  addSession(session: SessionDraft): Promise<void>
  /** Null where there is none, where it has ended, or its account is disabled. */
  session(hash: Uint8Array, now: number): Promise<{ session: Session; account: Account } | null>
  /** Moves its end, and says that it was in use. */
  touchSession(id: number, times: { seenAt: number; expiresAt: number }): Promise<void>
  /** The last used first. */
  sessionsOf(account: number, now: number): Promise<Session[]>
  /** One, or all but one, or all of an account. Returns how many. */
  removeSessions(account: number, which: { id: number } | { except: number } | 'all'): Promise<number>
  removeEnded(now: number): Promise<number>

  addToken(token: TokenDraft): Promise<Token>
  token(hash: Uint8Array, now: number): Promise<{ token: Token; account: Account } | null>
  touchToken(id: number, usedAt: number): Promise<void>
  tokensOf(account: number): Promise<Token[]>
  removeToken(account: number, id: number): Promise<boolean>

  /** Failed attempts under a key, as an address or an account, since the last success. */
  failures(key: string): Promise<Failures>
  noteFailure(key: string, at: number): Promise<Failures>
  forgetFailures(keys: readonly string[]): Promise<void>
  forgetFailuresBefore(at: number): Promise<number>

  /** A hash of the key of the set-up link; null where there is none. */
  setupHash(): Promise<Uint8Array | null>
  setSetupHash(hash: Uint8Array | null): Promise<void>
}

export type AccountDraft = Omit<Account, 'id'> & { passwordHash: string }

export type AccountChanges = Partial<Omit<AccountDraft, 'createdAt' | 'email'>>

export type AccountOutcome =
  | { kind: 'done'; account: Account }
  | { kind: 'unknown' }
  /** It would leave nobody who could administer. */
  | { kind: 'last-administrator' }

export type SessionDraft = {
  hash: Uint8Array
  account: number
  createdAt: number
  expiresAt: number
  /** What the browser calls itself. */
  agent: string
  address: string
}

export type Session = Omit<SessionDraft, 'hash'> & { id: number; seenAt: number }

export type TokenDraft = {
  hash: Uint8Array
  account: number
  name: string
  scopes: readonly TokenScope[]
  createdAt: number
  /** 0: never. */
  expiresAt: number
}

export type Token = Omit<TokenDraft, 'hash'> & { id: number; usedAt: number }

export type Failures = { count: number; lastAt: number }
