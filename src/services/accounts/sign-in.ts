import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { Session, SessionStore } from '../../store/contracts/accounts/sessions.ts'
import type { SignInFailureStore } from '../../store/contracts/accounts/sign-in-failures.ts'
import { cleanText } from './account-text.ts'
import { type Attempts, FAILURES_KEPT_MS } from './attempts.ts'
import type { CachedCallers, Caller } from './callers.ts'
import type { Devices } from './devices.ts'
import type { Passwords } from './passwords.ts'
import { createSecret, hashOfSecret } from './secrets.ts'

export type SignIn = {
  signIn(attempt: SignInAttempt): Promise<SignInOutcome>
  /** Ends the caller's current session. */
  signOut(caller: Caller): Promise<void>
  /** Ends all sessions of the caller, including this one. */
  signOutEverywhere(caller: Caller): Promise<void>
  sessions(caller: Caller): Promise<(Session & { current: boolean })[]>
  /** Returns false if the caller has no such session. */
  endSession(caller: Caller, id: number): Promise<boolean>
}

/** The browser: its network address and its User-Agent header. */
export type Browser = { address: string; agent: string }

/** `device`: the cookie of a device that signed in before, if it has one. */
export type SignInAttempt = Browser & { email: string; password: string; device?: string }

export type SignInOutcome = (SignedIn & { device: string }) | { kind: 'wrong' } | { kind: 'wait'; seconds: number }

/** The only time the secret is given out. */
export type SignedIn = { kind: 'signed-in'; secret: string; caller: Caller; expiresAt: number }

export type SessionMaker = (account: number, browser: Browser) => Promise<SignedIn | null>

const MAX_AGENT = 300
const MAX_ADDRESS = 64
/** Maximum per account; beyond it the least recently used ones end. */
const MAX_SESSIONS = 1000
const CLEAN_UP_EVERY_MS = 3_600_000

export type SignInDeps = {
  accounts: Pick<AccountStore, 'findByEmail' | 'update'>
  sessions: Pick<SessionStore, 'list' | 'remove' | 'removeExpired'>
  failures: Pick<SignInFailureStore, 'clearBefore'>
  passwords: Passwords
  attempts: Attempts
  devices: Devices
  callers: CachedCallers
  clock: Clock
  makeSession: SessionMaker
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { accounts, sessions, failures, passwords, attempts, devices, callers, clock, makeSession } = deps
  let cleanedUpAt = Number.NEGATIVE_INFINITY

  async function cleanUp(): Promise<void> {
    if (clock.monotonic() - cleanedUpAt < CLEAN_UP_EVERY_MS) return
    cleanedUpAt = clock.monotonic()
    await sessions.removeExpired(clock.now())
    await failures.clearBefore(clock.now() - FAILURES_KEPT_MS)
  }

  async function deviceOf(email: string, cookie: string): Promise<string | null> {
    if (cookie === '') return null
    const account = await accounts.findByEmail(email.trim())
    return account === null ? null : devices.identify(cookie, account)
  }

  async function endSession({ account }: Caller, which: { id: number } | 'all'): Promise<boolean> {
    const ended = await sessions.remove(account.id, which)
    callers.drop()
    return ended > 0
  }

  return {
    async signIn({ email, password, address, agent, device: cookie = '' }) {
      await cleanUp()
      let account = { id: 0, passwordHash: '' }
      const device = await deviceOf(email, cookie)
      const outcome = await attempts.guard({ email, address, device }, async () => {
        const found = await accounts.findByEmail(email.trim())
        const { kind } = await passwords.verify(password, found?.passwordHash ?? null)
        if (found === null || kind === 'wrong' || found.disabled) return false
        const passwordHash = kind === 'outdated' ? await passwords.hash(password) : found.passwordHash
        if (kind === 'outdated') await accounts.update(found.id, { passwordHash })
        account = { id: found.id, passwordHash }
        return true
      })
      if (outcome.kind !== 'right') return outcome
      const signedIn = await makeSession(account.id, { address, agent })
      return signedIn === null ? { kind: 'wrong' } : { ...signedIn, device: await devices.issue(account) }
    },
    async signOut(caller) {
      if (caller.via !== 'session') throw new AppError('forbidden', 'a token has no session to sign out of')
      await endSession(caller, { id: caller.key })
    },
    async signOutEverywhere(caller) {
      await endSession(caller, 'all')
    },
    async sessions({ account, via, key }) {
      const found = await sessions.list(account.id, clock.now())
      return found.map((session) => ({ ...session, current: via === 'session' && session.id === key }))
    },
    endSession: (caller, id) => endSession(caller, { id }),
  }
}

export type SessionMakerDeps = {
  sessions: Pick<SessionStore, 'add' | 'list' | 'remove'>
  callers: CachedCallers
  clock: Clock
  sessionAgeMs: number
}

/** Returns null if the account was removed or disabled meanwhile. */
export function createSessionMaker({ sessions, callers, clock, sessionAgeMs }: SessionMakerDeps): SessionMaker {
  return async (account, { address, agent }) => {
    const secret = createSecret()
    const now = clock.now()
    const expiresAt = now + sessionAgeMs
    for (const { id } of (await sessions.list(account, now)).slice(MAX_SESSIONS - 1))
      await sessions.remove(account, { id })
    await sessions.add({
      hash: hashOfSecret(secret),
      account,
      createdAt: now,
      expiresAt,
      agent: cleanText(agent, MAX_AGENT),
      address: cleanText(address, MAX_ADDRESS),
    })
    const caller = await callers.ofSession(secret)
    return caller === null ? null : { kind: 'signed-in', secret, caller, expiresAt }
  }
}
