import type { Clock } from '../../core/clock.ts'
import type { AccountStore } from '../../store/contracts/accounts.ts'
import type { Caller, Callers } from './caller.ts'
import { hashOfSecret } from './secrets.ts'

export type CallersDeps = {
  accounts: Pick<AccountStore, 'revision' | 'session' | 'touchSession' | 'token' | 'touchToken'>
  clock: Clock
  /** After so long without use a session ends. */
  sessionAgeMs: number
  /** Other processes sign people out of the same store, which holds here with the next request: so nobody is remembered. */
  isShared?: boolean
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** Callers with a memory that is to be dropped when accounts, sessions or tokens change. */
export type RememberingCallers = Callers & { drop(): void }

/** How long somebody is believed to be who they were. */
const REMEMBER_MS = 5000
/** Changes that another process makes are noticed within this time; those of our own at once, by `drop`. */
const POLL_EVERY_MS = 250
const MAX_REMEMBERED = 10_000
/** A session is noted as used so often at most; or every request would be a write. */
const TOUCH_EVERY_MS = 60_000

/** `touchAt` and `endsAt` by the wall clock, `until` by the steady one. */
type Known = { caller: Caller; touchAt: number; endsAt: number; until: number }

/**
 * A page asks many things at once, so who a secret stands for is remembered for some seconds. The memory is dropped as a
 * whole: accounts change seldom. What was looked up before a drop is not remembered after it.
 */
export function createCallers(deps: CallersDeps): RememberingCallers {
  const { accounts, clock, sessionAgeMs, isShared = false, onProblem } = deps
  const known = new Map<string, Known>()
  let revision = -1
  let lookedAt = Number.NEGATIVE_INFINITY
  let drops = 0

  function drop(): void {
    drops++
    known.clear()
  }

  async function noticeChanges(): Promise<void> {
    const now = clock.monotonic()
    if (now - lookedAt < POLL_EVERY_MS) return
    lookedAt = now
    const current = await accounts.revision()
    if (current !== revision) drop()
    revision = current
  }

  async function find(
    via: Caller['via'],
    secret: string,
    look: (hash: Uint8Array, now: number) => Promise<Known | null>,
  ) {
    if (isShared) return (await look(hashOfSecret(secret), clock.now()))?.caller ?? null
    await noticeChanges()
    const hash = hashOfSecret(secret)
    // A token in a cookie is nobody, and so is the secret of a session in the place of a token.
    const key = `${via} ${Buffer.from(hash).toString('base64')}`
    const now = clock.now()
    const remembered = known.get(key)
    const isFresh = remembered !== undefined && remembered.until > clock.monotonic()
    if (isFresh && remembered.endsAt > now && remembered.touchAt > now) return remembered.caller
    known.delete(key)
    const before = drops
    const found = await look(hash, now)
    if (found === null) return null
    if (drops === before) {
      if (known.size >= MAX_REMEMBERED) known.delete(known.keys().next().value!)
      known.set(key, found)
    }
    return found.caller
  }

  /** Where the disk is full, people can still read: only the time of last use is not noted. */
  async function touch(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      onProblem('the last use of a session could not be recorded', { error: String(error) })
    }
  }

  async function lookForSession(hash: Uint8Array, now: number): Promise<Known | null> {
    const found = await accounts.session(hash, now)
    if (found === null || found.account.disabled) return null
    const { session, account } = found
    let { seenAt, expiresAt: endsAt } = session
    // The clock may have been set back: then it is noted at once.
    if (now - seenAt >= TOUCH_EVERY_MS || now < seenAt) {
      seenAt = now
      endsAt = now + sessionAgeMs
      await touch(() => accounts.touchSession(session.id, { seenAt: now, expiresAt: now + sessionAgeMs }))
    }
    const caller: Caller = { account, via: 'session', key: session.id, scopes: [] }
    return { caller, touchAt: seenAt + TOUCH_EVERY_MS, endsAt, until: clock.monotonic() + REMEMBER_MS }
  }

  async function lookForToken(hash: Uint8Array, now: number): Promise<Known | null> {
    const found = await accounts.token(hash, now)
    if (found === null || found.account.disabled) return null
    const { token, account } = found
    let { usedAt } = token
    if (now - usedAt >= TOUCH_EVERY_MS || now < usedAt) {
      usedAt = now
      await touch(() => accounts.touchToken(token.id, now))
    }
    const endsAt = token.expiresAt === 0 ? Number.POSITIVE_INFINITY : token.expiresAt
    const caller: Caller = { account, via: 'token', key: token.id, scopes: token.scopes }
    return { caller, touchAt: usedAt + TOUCH_EVERY_MS, endsAt, until: clock.monotonic() + REMEMBER_MS }
  }

  return {
    ofSession: (secret) => find('session', secret, lookForSession),
    ofToken: (secret) => find('token', secret, lookForToken),
    drop,
  }
}
