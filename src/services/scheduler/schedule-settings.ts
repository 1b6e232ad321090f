import type { Config } from '../../config/config.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { Budgets } from './scheduler.ts'
import type { Budget } from './throttles.ts'

/** Somebody who brings many sources at once does not wait for their first check as long as these last. */
const BURST_SECONDS = 10
/** Checks last: of slow ones nobody, and no host, may have so many out that nothing is left for the others. */
const USER_SHARE = 0.5
const HOST_SHARE = 0.1

/** What the settings allow all together, each user and each host. */
export function budgetsOf(schedule: Config['schedule']): Budgets {
  const { checksPerSecond, maxChecks } = schedule
  const part = (perSecond: number, share: number): Budget => ({
    perSecond,
    burst: Math.max(1, perSecond * BURST_SECONDS),
    maxInFlight: Math.max(1, Math.ceil(maxChecks * share)),
  })
  return {
    perSecond: checksPerSecond,
    burst: checksPerSecond,
    maxInFlight: maxChecks,
    perUser: part(schedule.perUserPerSecond, USER_SHARE),
    perHost: part(schedule.perHostPerSecond, HOST_SHARE),
  }
}

/** The level of each user. Addresses are compared without regard to case, as people write them. */
export function createLevels({ gold, bronze }: Config['schedule']): (owner: string) => ServiceLevel {
  const levels = new Map<string, ServiceLevel>()
  for (const owner of bronze) levels.set(owner.toLowerCase(), 'bronze')
  for (const owner of gold) levels.set(owner.toLowerCase(), 'gold')
  return (owner) => levels.get(owner.toLowerCase()) ?? 'silver'
}
