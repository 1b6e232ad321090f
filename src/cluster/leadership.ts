import type { Clock } from '../core/clock.ts'
import { isAppError } from '../core/errors.ts'
import type { Retries } from '../core/work/retries.ts'
import { createBackoff } from '../core/work/retry.ts'
import { createSleeper } from '../services/watching/sleeper.ts'
import type { LeaderLease } from '../store/contracts/cluster/partition-leases.ts'

export type LeadershipDeps = {
  lease: LeaderLease
  leaseMs: number
  clock: Pick<Clock, 'monotonic'>
  /** Does the leader's work until the signal aborts. Calls `isWell` once the work has started. */
  lead(epoch: number, signal: AbortSignal, isWell: () => void): Promise<void>
  onProblem(message: string, fields: Record<string, unknown>): void
  retries: Retries
}

export type Leadership = {
  /** Requests the lease periodically. Resolves once it is known who leads and, if this process does, whether its work started. */
  start(): Promise<void>
  /** Requests the lease now, since its holder gave it up. */
  beatSoon(): void
  isLeader(): boolean
  /** How many writes the store refused because the lease was lost. */
  refused(): number
  /** Null while everything works. */
  healthError(): string | null
  /** Ends the work cleanly and gives the lease up, so that another process can lead at once. */
  stop(): Promise<void>
}

type Term = { epoch: number; controller: AbortController; done: Promise<void>; begun: Promise<void> }

const MIN_WAIT_MS = 100
const MAX_WAIT_MS = 5_000

/**
 * Leader election: one process of several does some work. This one
 * - follows: it requests the lease every third of its length;
 * - leads: it holds the lease, and a term of work is in progress. Work that fails is restarted after a while: all of its state is stored;
 * - has lost the lease: it couldn't renew it in time by its own monotonic clock, or the store says that another process leads. The work
 *   ends, and the store refuses its late writes.
 *
 * A term starts only when the last one is over: two never overlap in one process.
 */
export function createLeadership({ lease, leaseMs, clock, lead, onProblem, retries }: LeadershipDeps): Leadership {
  const ending = new AbortController()
  const sleeper = createSleeper(ending.signal)
  const everyMs = leaseMs / 3
  let term: Term | null = null
  let lastTerm: Promise<void> = Promise.resolve()
  let beating: Promise<void> = Promise.resolve()
  let answeredAt = clock.monotonic()
  const beatBackoff = createBackoff({ firstMs: MIN_WAIT_MS, lastMs: Math.min(MAX_WAIT_MS, everyMs) })
  let heartbeatError: string | null = null
  let workError: string | null = null
  let refused = 0
  const leading = retries.track('leading the scheduler')
  const renewing = retries.track('renewing the lease of the scheduler')

  function noteFailure(error: unknown): void {
    if (isAppError(error, 'lease-lost')) {
      refused++
      onProblem('another process is the leader now; writes of this one were rejected', { refused })
      sleeper.wake()
    } else {
      workError = messageOf(error)
      leading.failed(error)
    }
  }

  async function work(epoch: number, signal: AbortSignal, begun: () => void): Promise<void> {
    const pause = createSleeper(signal)
    const backoff = createBackoff({ firstMs: MIN_WAIT_MS, lastMs: MAX_WAIT_MS })
    const isWell = (): void => {
      workError = null
      leading.done()
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
        await pause.sleep(backoff.nextMs())
      }
    }
    workError = null
    leading.done()
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

  /** Ends the term if the lease wasn't renewed in time, without asking the store. */
  function expire(): void {
    if (term !== null && lease.epoch() !== term.epoch) endTerm()
  }

  /** Returns how long to wait before the next beat. */
  async function beat(): Promise<number> {
    try {
      const answer = await lease.beat()
      answeredAt = clock.monotonic()
      heartbeatError = null
      renewing.done()
      beatBackoff.reset()
      if (ending.signal.aborted) return 0
      if (answer.kind === 'leads') beginTerm(answer.epoch)
      else endTerm()
      return everyMs
    } catch (error) {
      renewing.failed(error)
      heartbeatError = messageOf(error)
      expire()
      return beatBackoff.nextMs()
    }
  }

  async function beatOn(firstWaitMs: number): Promise<void> {
    let waitMs = firstWaitMs
    const watchdog = setInterval(expire, Math.max(10, everyMs / 10)).unref()
    while (!ending.signal.aborted) {
      await sleeper.sleep(waitMs)
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
    beatSoon: sleeper.wake,
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
      renewing.done()
      await beating
      await lastTerm
      await lease.release().catch((error) => onProblem('could not release the lease', { error: messageOf(error) }))
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
