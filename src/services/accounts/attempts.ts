import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { parseAddress } from '../../core/url/address.ts'
import type { SignInFailureStore, SignInFailures } from '../../store/contracts/accounts/sign-in-failures.ts'

/**
 * Slows down password guessing. Failures are counted per e-mail address, known or not, and per network address. Within the
 * allowance there is no delay. Beyond it every failure doubles the pause before the next attempt, up to a quarter of an hour. An
 * attempt during the pause is not checked and changes nothing, so an attacker can't lock an owner out for longer than that. A
 * success, or a day without failure, clears the count. Counts are in the store and survive a restart.
 *
 * Attempts for one e-mail address run one after the other: a hundred concurrent guesses count as a hundred.
 */
export type Attempts = {
  /** Runs `attempt`, which returns whether the password was right, or returns how long to wait. */
  guard(who: { email: string; address: string }, attempt: () => Promise<boolean>): Promise<AttemptOutcome>
}

export type AttemptOutcome = { kind: 'right' } | { kind: 'wrong' } | { kind: 'wait'; seconds: number }

export type AttemptsDeps = {
  failures: Pick<SignInFailureStore, 'find' | 'record' | 'clear'>
  clock: Clock
}

const ALLOWED_PER_EMAIL = 5
const ALLOWED_PER_ADDRESS = 20
const MAX_WAIT_SECONDS = 900
export const FAILURES_KEPT_MS = 86_400_000
const MAX_IN_TURN = 50

export function createAttempts({ failures, clock }: AttemptsDeps): Attempts {
  const turns = new Map<string, { last: Promise<void>; waiting: number }>()

  async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = turns.get(key) ?? { last: Promise.resolve(), waiting: 0 }
    if (turn.waiting >= MAX_IN_TURN)
      throw new AppError('rate-limited', 'too many attempts for this address right now; try again in a moment')
    turns.set(key, turn)
    const before = turn.last
    const { promise, resolve } = Promise.withResolvers<void>()
    turn.last = promise
    turn.waiting++
    try {
      await before
      return await work()
    } finally {
      turn.waiting--
      if (turn.waiting === 0) turns.delete(key)
      resolve()
    }
  }

  async function secondsToWait(key: string, allowed: number): Promise<number> {
    const { count, lastAt } = await failures.find(key)
    if (count < allowed || isOld({ count, lastAt })) return 0
    const pauseMs = 1000 * Math.min(MAX_WAIT_SECONDS, 2 ** (count - allowed))
    // A clock that was set back does not make the wait longer than the pause.
    const sinceMs = Math.max(0, clock.now() - lastAt)
    return Math.ceil(Math.max(0, pauseMs - sinceMs) / 1000)
  }

  function isOld({ count, lastAt }: SignInFailures): boolean {
    return count > 0 && clock.now() - lastAt >= FAILURES_KEPT_MS
  }

  async function record(key: string): Promise<void> {
    if (isOld(await failures.find(key))) await failures.clear([key])
    await failures.record(key, clock.now())
  }

  return {
    guard({ email, address }, attempt) {
      const keys = { email: emailKey(email), address: addressKey(address) }
      return inTurn(keys.email, async (): Promise<AttemptOutcome> => {
        const seconds = Math.max(
          await secondsToWait(keys.email, ALLOWED_PER_EMAIL),
          await secondsToWait(keys.address, ALLOWED_PER_ADDRESS),
        )
        if (seconds > 0) return { kind: 'wait', seconds }
        if (await attempt()) {
          await failures.clear([keys.email, keys.address])
          return { kind: 'right' }
        }
        await record(keys.email)
        await record(keys.address)
        return { kind: 'wrong' }
      })
    },
  }
}

/** Hashed, since users type passwords into the wrong field. */
function emailKey(email: string): string {
  return `email ${createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')}`
}

/** The owner of one IPv6 address has the whole /64. */
function addressKey(address: string): string {
  const parsed = parseAddress(address.slice(0, 64))
  if (parsed?.family !== 6) return `address ${address.slice(0, 64)}`
  const network = Buffer.from(parsed.bytes.subarray(0, 8))
  const isMapped = network.every((byte) => byte === 0)
  return isMapped ? `address ${address.slice(0, 64)}` : `address ${network.toString('hex')}/64`
}
