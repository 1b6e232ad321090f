import type { Clock } from '../core/clock.ts'
import type { Retries } from '../core/work/retries.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'

/** Delivers until it is ended. No agent is registered yet, so there is nothing to do. */
export function startDelivery(_stores: StoreSet, _clock: Clock, _retries: Retries): { end(): Promise<void> } {
  return { end: async () => {} }
}
