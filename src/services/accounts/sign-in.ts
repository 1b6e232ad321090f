import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { AccountStore, Session } from '../../store/contracts/accounts.ts'
import { cleanText } from './account-text.ts'
import { type Attempts, FORGOTTEN_AFTER_MS } from './attempts.ts'
import type { Caller } from './caller.ts'
import type { RememberingCallers } from './callers.ts'
import type { Passwords } from './passwords.ts'
import { createSecret, hashOfSecret } from './secrets.ts'

export type SignIn = {
  signIn(attempt: SignInAttempt): Promise<SignInOutcome>
  /** Ends the session that the caller is known by. */
  signOut(caller: Caller): Promise<void>
  /** Ends all sessions of the caller, this one as well. */
  signOutEverywhere(caller: Caller): Promise<void>
  sessions(caller: Caller): Promise<(Session & { current: boolean })[]>
  /** False where the caller has no such session. */
  endSession(caller: Caller, id: number): Promise<boolean>
}

/** Where somebody sits: the network address, and what the browser calls itself. */
export type Seat = { address: string; agent: string }

export type SignInAttempt = Seat & { email: string; password: string }

export type SignInOutcome = SignedIn | { kind: 'wrong' } | { kind: 'wait'; seconds: number }

/** The secret is told once, here. */
export type SignedIn = { kind: 'signed-in'; secret: string; caller: Caller; expiresAt: number }

export type SessionMaker = (account: number, seat: Seat) => Promise<SignedIn | null>

const MAX_AGENT = 300
const MAX_ADDRESS = 64
/** Of one account; who makes more loses those that were not used for longest. */
const MAX_SESSIONS = 1000
const TIDY_EVERY_MS = 3_600_000

export type SignInDeps = {
  accounts: AccountStore
  passwords: Passwords
  attempts: Attempts
  callers: RememberingCallers
  clock: Clock
  makeSession: SessionMaker
}

export function createSignIn({ accounts, passwords, attempts, callers, clock, makeSession }: SignInDeps): SignIn {
  let tidiedAt = Number.NEGATIVE_INFINITY

  async function tidy(): Promise<void> {
    if (clock.monotonic() - tidiedAt < TIDY_EVERY_MS) return
    tidiedAt = clock.monotonic()
    await accounts.removeEnded(clock.now())
    await accounts.forgetFailuresBefore(clock.now() - FORGOTTEN_AFTER_MS)
  }

  async function endSession({ account }: Caller, which: { id: number } | 'all'): Promise<boolean> {
    const ended = await accounts.removeSessions(account.id, which)
    callers.drop()
    return ended > 0
  }

  return {
    async signIn({ email, password, address, agent }) {
      await tidy()
      let account = 0
      const outcome = await attempts.guard({ email, address }, async () => {
        const found = await accounts.findByEmail(email.trim())
        const { kind } = await passwords.verify(password, found?.passwordHash ?? null)
        if (found === null || kind === 'wrong' || found.disabled) return false
        account = found.id
        if (kind === 'outdated') await accounts.update(account, { passwordHash: await passwords.hash(password) })
        return true
      })
      if (outcome.kind !== 'right') return outcome
      return (await makeSession(account, { address, agent })) ?? { kind: 'wrong' }
    },
    async signOut(caller) {
      if (caller.via !== 'session') throw new AppError('forbidden', 'a token has no session to sign out of')
      await endSession(caller, { id: caller.key })
    },
    async signOutEverywhere(caller) {
      await endSession(caller, 'all')
    },
    async sessions({ account, via, key }) {
      const found = await accounts.sessionsOf(account.id, clock.now())
      return found.map((session) => ({ ...session, current: via === 'session' && session.id === key }))
    },
    endSession: (caller, id) => endSession(caller, { id }),
  }
}

export type SessionMakerDeps = {
  accounts: Pick<AccountStore, 'addSession' | 'sessionsOf' | 'removeSessions'>
  callers: RememberingCallers
  clock: Clock
  sessionAgeMs: number
}

/** Null where the account is not there any more, or was disabled meanwhile. */
export function createSessionMaker({ accounts, callers, clock, sessionAgeMs }: SessionMakerDeps): SessionMaker {
  return async (account, { address, agent }) => {
    const secret = createSecret()
    const now = clock.now()
    const expiresAt = now + sessionAgeMs
    for (const { id } of (await accounts.sessionsOf(account, now)).slice(MAX_SESSIONS - 1))
      await accounts.removeSessions(account, { id })
    await accounts.addSession({
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
