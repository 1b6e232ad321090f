import type { Clock } from '../../core/clock.ts'
import type { DeliveryStore } from '../../store/contracts/deliveries.ts'
import { type Policies, plannedAt } from './policies.ts'

const BATCH = 1_000

/** Sets the due time of new entries. Returns whether there may be more of them. */
export function createPlanner(
  deliveries: Pick<DeliveryStore, 'unplanned' | 'plan'>,
  policies: Policies,
  clock: Clock,
): () => Promise<boolean> {
  return async () => {
    const entries = await deliveries.unplanned(BATCH)
    if (entries.length === 0) return false
    const policyOf = await policies.of(entries.map(({ profile }) => profile))
    const now = clock.now()
    await deliveries.plan(
      entries.map((entry) => ({
        ...{ annotation: entry.annotation, channel: entry.channel },
        dueAt: plannedAt(policyOf.get(entry.profile) ?? null, entry, now),
      })),
    )
    return entries.length === BATCH
  }
}
