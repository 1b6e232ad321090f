import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { networkOf } from '../../core/url/address.ts'
import type { SignInFailureStore, SignInFailures } from '../../store/contracts/accounts/sign-in-failures.ts'

/**
 * Slows down password guessing. Failures are counted per e-mail address, known or not, and per network address. Within the
 * allowance there is no delay. Beyond it every failure doubles the pause before the next attempt, up to a quarter of an hour. An
 * attempt during the pause is not checked and changes nothing, so an attacker can't lock an owner out for longer than that. A
 * device that has signed in before has a count of its own, so guesses from elsewhere don't lock it out at all. A success, or a
 * day without failure, clears the count. Counts are in the store: they survive a restart and hold for all servers together.
 *
 * An attempt counts as a failure before the password is checked: of any number of concurrent guesses, on any number of
 * servers, no more than the allowance are checked. Attempts for one e-mail address are also serialised here, so that a user who
 * opens twenty tabs with the right password is signed in twenty times.
 */
export type Attempts = {
  /** Runs `attempt`, which returns whether the password was right, or returns how long to wait. */
  guard(who: Guesser, attempt: () => Promise<boolean>): Promise<AttemptOutcome>
}

/** `device`: identifies a device that signed in to this account before; null for any other. */
export type Guesser = { email: string; address: string; device: string | null }

export type AttemptOutcome = { kind: 'right' } | { kind: 'wrong' } | { kind: 'wait'; seconds: number }

export type AttemptsDeps = {
  failures: Pick<SignInFailureStore, 'find' | 'replace' | 'clear'>
  clock: Clock
}

const ALLOWED_PER_EMAIL = 5
const ALLOWED_PER_DEVICE = 5
const ALLOWED_PER_ADDRESS = 20
const MAX_WAIT_SECONDS = 900
export const FAILURES_KEPT_MS = 86_400_000
const MAX_IN_TURN = 50
/** A lost race means that another attempt was counted, so the allowance is used up long before this limit. */
const MAX_RACES = 200
const NONE: SignInFailures = { count: 0, lastAt: 0 }

type Limit = { key: string; allowed: number }

export function createAttempts({ failures, clock }: AttemptsDeps): Attempts {
  const inTurn = createTurns()

  function secondsToWait({ count, lastAt }: SignInFailures, allowed: number): number {
    if (count < allowed) return 0
    const pauseMs = 1000 * Math.min(MAX_WAIT_SECONDS, 2 ** (count - allowed))
    // If the clock was set back, the wait still doesn't exceed the pause.
    const sinceMs = Math.max(0, clock.now() - lastAt)
    return Math.ceil(Math.max(0, pauseMs - sinceMs) / 1000)
  }

  const isOld = ({ count, lastAt }: SignInFailures) => count > 0 && clock.now() - lastAt >= FAILURES_KEPT_MS

  async function change(key: string, next: (current: SignInFailures) => SignInFailures | null): Promise<void> {
    for (let races = 0; races < MAX_RACES; races++) {
      const current = await failures.find(key)
      const wanted = next(current)
      if (wanted === null || (await failures.replace(key, current, wanted))) return
    }
    throw new AppError('rate-limited', 'too many attempts right now; try again in a moment')
  }

  /** Counts an attempt as a failure until it is known to be right. Returns the seconds to wait if no attempt is left. */
  async function reserve({ key, allowed }: Limit): Promise<number> {
    let seconds = 0
    await change(key, (current) => {
      const count = isOld(current) ? 0 : current.count
      seconds = secondsToWait({ ...current, count }, allowed)
      return seconds > 0 ? null : { count: count + 1, lastAt: clock.now() }
    })
    return seconds
  }

  const release = (key: string) =>
    change(key, ({ count, lastAt }) => (count === 0 ? null : count === 1 ? NONE : { count: count - 1, lastAt }))

  return {
    guard({ email, address, device }, attempt) {
      const byEmail = { key: emailKey(email), allowed: ALLOWED_PER_EMAIL }
      const byAddress = { key: `address ${networkOf(address)}`, allowed: ALLOWED_PER_ADDRESS }
      const limits = device === null ? [byEmail, byAddress] : [{ key: `device ${device}`, allowed: ALLOWED_PER_DEVICE }]
      return inTurn(byEmail.key, async (): Promise<AttemptOutcome> => {
        const reserved: string[] = []
        for (const limit of limits) {
          const seconds = await reserve(limit)
          if (seconds > 0) {
            for (const key of reserved) await release(key)
            return { kind: 'wait', seconds }
          }
          reserved.push(limit.key)
        }
        let isRight: boolean
        try {
          isRight = await attempt()
        } catch (error) {
          for (const key of reserved) await release(key)
          throw error
        }
        if (!isRight) return { kind: 'wrong' }
        await failures.clear([limits[0]!.key])
        // Other guesses from this network still count: an attacker can sign in to an account of their own in between.
        if (device === null) await release(byAddress.key)
        return { kind: 'right' }
      })
    },
  }
}

function createTurns() {
  const turns = new Map<string, { last: Promise<void>; waiting: number }>()
  return async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
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
}

/** Hashed, since users type passwords into the wrong field. */
function emailKey(email: string): string {
  return `email ${createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')}`
}
