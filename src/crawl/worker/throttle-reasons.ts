import type { SharedCounters } from './shared-counters.ts'

/** `behind`: more is new than the annotation can take. `paused`: somebody wants it so. */
export type ThrottleReason = 'behind' | 'paused'

export type ThrottleReasons = {
  set(reason: ThrottleReason, holds: boolean): void
  has(reason: ThrottleReason): boolean
}

/** A board is held while anybody has a reason for it; who takes back their own leaves those of others standing. */
export function createThrottleReasons(counters: Pick<SharedCounters, 'hold'>): ThrottleReasons {
  const reasons = new Set<ThrottleReason>()
  return {
    set(reason, holds) {
      if (holds) reasons.add(reason)
      else reasons.delete(reason)
      counters.hold(reasons.size > 0)
    },
    has: (reason) => reasons.has(reason),
  }
}
