import type { Clock } from '../../core/clock.ts'
import type { Track } from '../../core/work/retries.ts'
import { createWorkLoop, type WorkLoop } from '../../core/work/work-loop.ts'
import type { LeaderLease } from '../../store/contracts/cluster/partition-leases.ts'
import { type IndexUpdate, updateIndex } from './index-update.ts'

/**
 * Keeps the index of a shared store up to date. Every worker has one of these, and one of them at a time works. It
 * - follows while another one holds the lease, and asks for it every second;
 * - works while it holds it: batch after batch, checking the lease in between;
 * - idles when nothing is new, and checks again after a second, or when it is woken;
 * - waits, each time twice as long, while the store is away;
 * - ends when it must, with the batch in hand done or thrown away, and hands the lease over.
 *
 * A keeper that lost the lease without knowing does no harm: of two that add the same batch, the second is told that it was late.
 */
export type IndexKeeperDeps = {
  lease: LeaderLease
  update: Pick<IndexUpdate, 'index' | 'versions' | 'texts'>
  clock: Clock
  /** The lease is renewed after so long at the latest, once the batch in hand is done. */
  renewMs: number
  mustEnd(): boolean
  /** Where it is seen that the work waits. */
  track: Track
  /** Versions that were added. */
  onAdded?(count: number): void
}

const POLL_EVERY_MS = 1000

export function createIndexKeeper(deps: IndexKeeperDeps): WorkLoop {
  const { lease, update, clock, renewMs, mustEnd, track, onAdded } = deps

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
