import type { Board } from './shared-counters.ts'

/** `behind`: more is new than the annotation can take. `paused`: somebody wants it so. */
export type HoldReason = 'behind' | 'paused'

export type HoldReasons = {
  set(reason: HoldReason, holds: boolean): void
  has(reason: HoldReason): boolean
}

/** A board is held while anybody has a reason for it; who takes back their own leaves those of others standing. */
export function createHoldReasons(board: Pick<Board, 'hold'>): HoldReasons {
  const reasons = new Set<HoldReason>()
  return {
    set(reason, holds) {
      if (holds) reasons.add(reason)
      else reasons.delete(reason)
      board.hold(reasons.size > 0)
    },
    has: (reason) => reasons.has(reason),
  }
}
