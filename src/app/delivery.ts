import { startLoop } from '../cluster/poll-loop.ts'
import type { Clock } from '../core/clock.ts'
import type { Retries } from '../core/work/retries.ts'
import type { DeliveryAgent } from '../delivery/agent.ts'
import { createDelivery } from '../services/delivery/delivery.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'

/** All delivery agents of this version; the inbox needs none. */
const registered: readonly DeliveryAgent[] = []

const EVERY_MS = 5_000

/** Delivers until it is ended. Does nothing while no agent is registered. */
export function startDelivery(stores: StoreSet, clock: Clock, retries: Retries): { end(): Promise<void> } {
  if (registered.length === 0) return { end: async () => {} }
  const { outbox, annotations } = stores
  const delivery = createDelivery({ outbox, annotations, agents: registered, clock })
  return startLoop({
    everyMs: EVERY_MS,
    work: async () => void (await delivery.deliverDue()),
    track: retries.track('delivering'),
  })
}
