import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { createBackoff } from '../../core/retry.ts'
import type { LeaderLease } from '../../store/contracts/partition-leases.ts'
import { createStir } from './stir.ts'

export type LeadershipDeps = {
  lease: LeaderLease
  leaseMs: number
  clock: Pick<Clock, 'monotonic'>
  /** Does the leader's work until `signal` says that it is over. `isWell` says that it has begun and goes on. */
  lead(epoch: number, signal: AbortSignal, isWell: () => void): Promise<void>
  onProblem(message: string, fields: Record<string, unknown>): void
}

export type Leadership = {
  /** Asks for the lease for the first time, then again and again. Resolves when it is known who leads and, where it is this one, whether that went well. */
  start(): Promise<void>
  /** Somebody gave the lease up. */
  beatSoon(): void
  isLeader(): boolean
  /** How often the store refused what was written under a lease of the past. */
  refused(): number
  /** Null while all is well. */
  healthError(): string | null
  /** Ends the work in good order and gives the lease up, so that another may lead at once. */
  stop(): Promise<void>
}

type Term = { epoch: number; controller: AbortController; done: Promise<void>; begun: Promise<void> }

const MIN_WAIT_MS = 100
const MAX_WAIT_MS = 5_000

/**
 * One process of several does some work. This one
 * - follows: it asks for the lease every third of its length;
 * - leads: it holds the lease, and a term of work is under way. Work that fails is begun anew after a while, as after a restart: nothing of
 *   it is in memory alone;
 * - has lost the lease, since it could not renew it in time by its own steady clock, or since the store says that another one leads. The work is
 *   ended; what of it was still on its way to the store is refused there.
 *
 * Between terms it is waited until the last one is over: no two of them are ever at work here.
 */
export function createLeadership({ lease, leaseMs, clock, lead, onProblem }: LeadershipDeps): Leadership {
  const ending = new AbortController()
  const stir = createStir(ending.signal)
  const everyMs = leaseMs / 3
  let term: Term | null = null
  let lastTerm: Promise<void> = Promise.resolve()
  let beating: Promise<void> = Promise.resolve()
  let answeredAt = clock.monotonic()
  const beatBackoff = createBackoff({ firstMs: MIN_WAIT_MS, lastMs: Math.min(MAX_WAIT_MS, everyMs) })
  let heartbeatError: string | null = null
  let workError: string | null = null
  let refused = 0

  function noteFailure(error: unknown): void {
    if (isAppError(error, 'lease-lost')) {
      refused++
      onProblem('another process is the leader now; writes of this one were rejected', { refused })
      stir.now()
    } else {
      workError = messageOf(error)
      onProblem('the scheduler is waiting', { error: workError })
    }
  }

  async function work(epoch: number, signal: AbortSignal, begun: () => void): Promise<void> {
    const pause = createStir(signal)
    const backoff = createBackoff({ firstMs: MIN_WAIT_MS, lastMs: MAX_WAIT_MS })
    const isWell = (): void => {
      workError = null
      backoff.reset()
      begun()
    }
    while (!signal.aborted && lease.epoch() === epoch) {
      try {
        await lead(epoch, signal, isWell)
      } catch (error) {
        noteFailure(error)
        begun()
        if (isAppError(error, 'lease-lost')) break
        await pause.until(backoff.nextMs())
      }
    }
    workError = null
    begun()
  }

  function beginTerm(epoch: number): void {
    if (term?.epoch === epoch) return
    endTerm()
    const controller = new AbortController()
    const begun = Promise.withResolvers<void>()
    const done = lastTerm
      .then(() => work(epoch, controller.signal, begun.resolve))
      .finally(() => {
        if (term?.controller === controller) term = null
      })
    lastTerm = done
    term = { epoch, controller, done, begun: begun.promise }
  }

  function endTerm(): void {
    term?.controller.abort()
    term = null
  }

  /** Asks nobody: what can't be renewed in time is over. */
  function expire(): void {
    if (term !== null && lease.epoch() !== term.epoch) endTerm()
  }

  /** Returns how long to wait before the next. */
  async function beat(): Promise<number> {
    try {
      const answer = await lease.beat()
      answeredAt = clock.monotonic()
      heartbeatError = null
      beatBackoff.reset()
      if (ending.signal.aborted) return 0
      if (answer.kind === 'leads') beginTerm(answer.epoch)
      else endTerm()
      return everyMs
    } catch (error) {
      if (heartbeatError === null) onProblem('could not renew the lease', { error: messageOf(error) })
      heartbeatError = messageOf(error)
      expire()
      return beatBackoff.nextMs()
    }
  }

  async function beatOn(firstWaitMs: number): Promise<void> {
    let waitMs = firstWaitMs
    const watchdog = setInterval(expire, Math.max(10, everyMs / 10)).unref()
    while (!ending.signal.aborted) {
      await stir.until(waitMs)
      if (!ending.signal.aborted) waitMs = await beat()
    }
    clearInterval(watchdog)
  }

  return {
    async start() {
      const waitMs = await beat()
      await term?.begun
      beating = beatOn(waitMs)
    },
    beatSoon: stir.now,
    isLeader: () => term !== null && lease.epoch() === term.epoch,
    refused: () => refused,
    healthError() {
      const silentMs = clock.monotonic() - answeredAt
      if (heartbeatError !== null || workError !== null) return heartbeatError ?? workError
      return silentMs > leaseMs ? `the store has not answered for ${Math.round(silentMs / 1000)} s` : null
    },
    async stop() {
      ending.abort()
      endTerm()
      await beating
      await lastTerm
      await lease.release().catch((error) => onProblem('could not release the lease', { error: messageOf(error) }))
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
