import type { Clock } from '../../core/clock.ts'
import type { Track } from '../../core/work/retries.ts'
import { createWorkLoop, type WorkLoop } from '../../core/work/work-loop.ts'
import type { LeaderLease } from '../../store/contracts/cluster/partition-leases.ts'
import { type IndexUpdate, updateIndex } from './index-update.ts'

/**
 * Keeps the index of a shared store up to date. Every worker has a keeper, and only the one with the lease works. It
 * - follows while another one holds the lease, and tries to acquire it every second;
 * - works while it holds the lease: batch after batch, checking the lease in between;
 * - idles when nothing is new, and checks again after a second, or when woken;
 * - backs off exponentially while the store is unavailable;
 * - ends on request, after finishing or discarding the current batch, and releases the lease.
 *
 * A keeper that lost the lease unknowingly does no harm: if two add the same batch, the second is rejected as late.
 */
export type IndexKeeperDeps = {
  lease: LeaderLease
  update: Pick<IndexUpdate, 'index' | 'versions' | 'texts'>
  clock: Clock
  /** Maximum time between renewals of the lease, not counting the rest of the current batch. */
  renewMs: number
  mustEnd(): boolean
  /** Reports that the work is waiting. */
  track: Track
  /** Number of versions added. */
  onAdded?(count: number): void
}

const POLL_EVERY_MS = 1000

export function createIndexKeeper(deps: IndexKeeperDeps): WorkLoop {
  const { lease, update, clock, renewMs, mustEnd, track, onAdded } = deps

  /** True if there may be more. */
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

  const loop = createWorkLoop({ work, restMs: POLL_EVERY_MS, mustEnd, track })
  return {
    wake: loop.wake,
    async run() {
      await loop.run()
      // If this fails, the others find out when the lease expires.
      await lease.release().catch(() => {})
    },
  }
}
