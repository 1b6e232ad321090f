import type { Account, TokenScope } from '../../../core/account.ts'

/** API tokens. The secret reaches the store as a hash only. */
export type TokenStore = {
  add(token: TokenDraft): Promise<Token>
  /** Null if the token is unknown or expired, or its account is disabled. */
  find(hash: Uint8Array, now: number): Promise<{ token: Token; account: Account } | null>
  touch(id: number, usedAt: number): Promise<void>
  list(account: number): Promise<Token[]>
  /** False if the account has no such token. */
  remove(account: number, id: number): Promise<boolean>
}

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
