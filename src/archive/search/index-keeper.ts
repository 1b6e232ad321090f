import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { LeaderLease } from '../../store/contracts/partition-leases.ts'
import { type IndexUpdate, updateIndex } from './index-update.ts'

/**
 * Keeps the index of a shared store up to date. Every worker has one of these, and one of them at a time works. It
 * - follows while another one holds the lease, and asks for it every second;
 * - works while it holds it: batch after batch, with a look at the lease in between;
 * - rests when nothing is new, and looks again after a second, or when it is woken;
 * - waits, each time twice as long, while the store is away;
 * - ends when it must, with the batch in hand done or thrown away, and hands the lease over.
 *
 * Whoever has lost the lease without knowing does no harm: of two who add the same batch, the second is told that it was overtaken.
 */
export type IndexKeeperDeps = {
  lease: LeaderLease
  update: Pick<IndexUpdate, 'index' | 'versions' | 'texts'>
  clock: Clock
  /** The lease is renewed after so long at the latest, once the batch in hand is done. */
  renewMs: number
  mustEnd(): boolean
  /** Not told again while it stays the same. Null when the work goes on. */
  onWaiting(reason: string | null): void
  /** Versions that were added. */
  onAdded?(count: number): void
}

export type IndexKeeper = {
  /** There may be something new, or an end. */
  wake(): void
  /** Until the end. What can never work ends it at once. */
  run(): Promise<void>
}

const POLL_EVERY_MS = 1000
const MIN_RETRY_MS = 250
const MAX_RETRY_MS = 5_000

export function createIndexKeeper(deps: IndexKeeperDeps): IndexKeeper {
  const { lease, update, clock, renewMs, mustEnd, onWaiting, onAdded } = deps
  let wake: () => void = () => {}
  let wasWoken = false
  let reason: string | null = null

  async function rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const timer = setTimeout(resolve, wasWoken ? 0 : ms)
    await promise
    clearTimeout(timer)
    wasWoken = false
  }

  function tellWaiting(now: string | null): void {
    if (now !== reason) onWaiting(now)
    reason = now
  }

  /** True when there may be more. */
  async function work(): Promise<boolean> {
    const beat = await lease.beat()
    if (beat.kind === 'follows') return false
    const renewAt = clock.monotonic() + renewMs
    let isOverdue = false
    const mustStop = (): boolean => {
      isOverdue ||= clock.monotonic() >= renewAt
      return isOverdue || mustEnd()
    }
    const added = await updateIndex({ ...update, mustStop, onBatch: () => {} })
    if (added > 0) onAdded?.(added)
    return isOverdue
  }

  async function run(): Promise<void> {
    let retryMs = MIN_RETRY_MS
    while (!mustEnd()) {
      try {
        const hasMore = await work()
        tellWaiting(null)
        retryMs = MIN_RETRY_MS
        if (!hasMore && !mustEnd()) await rest(POLL_EVERY_MS)
      } catch (error) {
        if (!isAppError(error) || error.retry === 'never') throw error
        tellWaiting(error.message)
        if (!mustEnd()) await rest(retryMs)
        retryMs = Math.min(MAX_RETRY_MS, retryMs * 2)
      }
    }
    // Who can't be told finds out when the lease is over.
    await lease.release().catch(() => {})
  }

  return {
    wake() {
      wasWoken = true
      wake()
    },
    run,
  }
}
