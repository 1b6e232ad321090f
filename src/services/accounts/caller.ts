import type { Account, TokenScope } from '../../core/account.ts'

/** Somebody who is known, and how: by the cookie of a session, or by a token that may do less than its owner. */
export type Caller = {
  account: Account
  via: 'session' | 'token'
  /** Id of the session, or of the token. */
  key: number
  /** What a token may be used for; a session may be used for everything. */
  scopes: readonly TokenScope[]
}

/** Finds out who calls. Null where the secret is unknown or has ended. */
export type Callers = {
  ofSession(secret: string): Promise<Caller | null>
  ofToken(secret: string): Promise<Caller | null>
}
