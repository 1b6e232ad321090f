import type { Account, TokenScope } from '../../core/account.ts'
import type { Clock } from '../../core/clock.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { SessionStore } from '../../store/contracts/accounts/sessions.ts'
import type { TokenStore } from '../../store/contracts/accounts/tokens.ts'
import { hashOfSecret } from './secrets.ts'

/** An authenticated request: by the cookie of a session, or by a token that may do less than its owner. */
export type Caller = {
  account: Account
  via: 'session' | 'token'
  /** Id of the session, or of the token. */
  key: number
  /** Limits a token; a session has all rights of its account. */
  scopes: readonly TokenScope[]
}

/** Authenticates a request. Null if the secret is unknown or has expired. */
export type Callers = {
  ofSession(secret: string): Promise<Caller | null>
  ofToken(secret: string): Promise<Caller | null>
}

export type CallersDeps = {
  accounts: Pick<AccountStore, 'revision'>
  sessions: Pick<SessionStore, 'find' | 'touch'>
  tokens: Pick<TokenStore, 'find' | 'touch'>
  clock: Clock
  /** A session expires after this time without use. */
  sessionAgeMs: number
  /** Other processes use the same store. Nothing is cached, so that their sign-outs take effect with the next request. */
  isShared?: boolean
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** Callers with a cache that must be dropped when accounts, sessions or tokens change. */
export type CachedCallers = Callers & { drop(): void }

const CACHE_MS = 5000
/** Changes made by another process are noticed within this time; our own at once, by `drop`. */
const POLL_EVERY_MS = 250
const MAX_CACHED = 10_000
/** The last use is written at most this often, or every request would be a write. */
const TOUCH_EVERY_MS = 60_000

/** `touchAt` and `endsAt` are wall time, `until` is monotonic. */
type Known = { caller: Caller; touchAt: number; endsAt: number; until: number }

/**
 * A page sends many requests at once, so the caller behind a secret is cached for some seconds. The cache is dropped as a
 * whole: accounts change seldom. A result that was read before a drop is not cached after it.
 */
export function createCallers(deps: CallersDeps): CachedCallers {
  const { accounts, sessions, tokens, clock, sessionAgeMs, isShared = false, onProblem } = deps
  const known = new Map<string, Known>()
  let revision = -1
  let polledAt = Number.NEGATIVE_INFINITY
  let drops = 0

  function drop(): void {
    drops++
    known.clear()
  }

  async function noticeChanges(): Promise<void> {
    const now = clock.monotonic()
    if (now - polledAt < POLL_EVERY_MS) return
    polledAt = now
    const current = await accounts.revision()
    if (current !== revision) drop()
    revision = current
  }

  async function find(
    via: Caller['via'],
    secret: string,
    read: (hash: Uint8Array, now: number) => Promise<Known | null>,
  ) {
    if (isShared) return (await read(hashOfSecret(secret), clock.now()))?.caller ?? null
    await noticeChanges()
    const hash = hashOfSecret(secret)
    // A token does not work as a cookie, nor the secret of a session as a token.
    const key = `${via} ${Buffer.from(hash).toString('base64')}`
    const now = clock.now()
    const cached = known.get(key)
    const isFresh = cached !== undefined && cached.until > clock.monotonic()
    if (isFresh && cached.endsAt > now && cached.touchAt > now) return cached.caller
    known.delete(key)
    const before = drops
    const found = await read(hash, now)
    if (found === null) return null
    if (drops === before) {
      if (known.size >= MAX_CACHED) known.delete(known.keys().next().value!)
      known.set(key, found)
    }
    return found.caller
  }

  /** Ignores errors, so that users can still read when the disk is full. */
  async function touch(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      onProblem('the last use of a session could not be recorded', { error: String(error) })
    }
  }

  async function readSession(hash: Uint8Array, now: number): Promise<Known | null> {
    const found = await sessions.find(hash, now)
    if (found === null || found.account.disabled) return null
    const { session, account } = found
    let { seenAt, expiresAt: endsAt } = session
    // If the clock was set back, write the use at once.
    if (now - seenAt >= TOUCH_EVERY_MS || now < seenAt) {
      seenAt = now
      endsAt = now + sessionAgeMs
      await touch(() => sessions.touch(session.id, { seenAt: now, expiresAt: now + sessionAgeMs }))
    }
    const caller: Caller = { account, via: 'session', key: session.id, scopes: [] }
    return { caller, touchAt: seenAt + TOUCH_EVERY_MS, endsAt, until: clock.monotonic() + CACHE_MS }
  }

  async function readToken(hash: Uint8Array, now: number): Promise<Known | null> {
    const found = await tokens.find(hash, now)
    if (found === null || found.account.disabled) return null
    const { token, account } = found
    let { usedAt } = token
    if (now - usedAt >= TOUCH_EVERY_MS || now < usedAt) {
      usedAt = now
      await touch(() => tokens.touch(token.id, now))
    }
    const endsAt = token.expiresAt === 0 ? Number.POSITIVE_INFINITY : token.expiresAt
    const caller: Caller = { account, via: 'token', key: token.id, scopes: token.scopes }
    return { caller, touchAt: usedAt + TOUCH_EVERY_MS, endsAt, until: clock.monotonic() + CACHE_MS }
  }

  return {
    ofSession: (secret) => find('session', secret, readSession),
    ofToken: (secret) => find('token', secret, readToken),
    drop,
  }
}
