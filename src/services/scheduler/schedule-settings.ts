import type { Config } from '../../config/config.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { Budget } from './queues/throttles.ts'
import type { Budgets } from './scheduler.ts'

/** A user who adds many sources at once gets the first checks without waiting, up to this many seconds' worth. */
const BURST_SECONDS = 10
/** No user and no host may have so many slow checks in flight that nothing is left for the others. */
const USER_SHARE = 0.5
const HOST_SHARE = 0.1

/** The budgets from the settings: for all together, each user and each host. */
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

/** The level of each user. E-mail addresses are compared without regard to case. */
export function createLevels({ gold, bronze }: Config['schedule']): (owner: string) => ServiceLevel {
  const levels = new Map<string, ServiceLevel>()
  for (const owner of bronze) levels.set(owner.toLowerCase(), 'bronze')
  for (const owner of gold) levels.set(owner.toLowerCase(), 'gold')
  return (owner) => levels.get(owner.toLowerCase()) ?? 'silver'
}
