import type { Config } from '../../config/config.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { Shares } from './queues/policy.ts'
import type { Budget } from './queues/throttles.ts'
import type { Budgets } from './scheduler.ts'
import type { ValueOptions } from './value/valuation.ts'

/** A user who adds many sources at once gets the first checks without waiting, up to this many seconds' worth. */
const BURST_SECONDS = 10
/** Maximum share of the checks in flight per user and per host, so that slow checks of one don't block the others. */
const USER_SHARE = 0.5
const HOST_SHARE = 0.1

/** The configured budgets: overall, per user and per host. */
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

const HOUR_MS = 3_600_000

/** Requests per millisecond; infinite for `none`. */
export function requestsOf(budget: string): number {
  const [requests, unit] = budget.split('/')
  return unit === undefined ? Number.POSITIVE_INFINITY : Number(requests) / (unit === 'h' ? HOUR_MS : 24 * HOUR_MS)
}

export const sharesOf = (schedule: Config['schedule']): Shares => ({
  gold: schedule.goldShare,
  silver: schedule.silverShare,
  bronze: schedule.bronzeShare,
})

/** Budget of the policy `value`; null for other policies. A host is limited by the delay between its requests. */
export function valueOptionsOf(
  { schedule, crawl }: Pick<Config, 'schedule' | 'crawl'>,
  levelOf: (owner: string) => ServiceLevel,
): ValueOptions | null {
  if (schedule.policy !== 'value') return null
  const users = {
    gold: requestsOf(schedule.goldBudget),
    silver: requestsOf(schedule.silverBudget),
    bronze: requestsOf(schedule.bronzeBudget),
  }
  return {
    budget: requestsOf(schedule.budget),
    shares: sharesOf(schedule),
    hostLimit: crawl.perHost / crawl.delayMs,
    userLimit: (owner) => users[levelOf(owner)],
  }
}

/** The level of each user. E-mail addresses are compared without regard to case. */
export function createLevels({ gold, bronze }: Config['schedule']): (owner: string) => ServiceLevel {
  const levels = new Map<string, ServiceLevel>()
  for (const owner of bronze) levels.set(owner.toLowerCase(), 'bronze')
  for (const owner of gold) levels.set(owner.toLowerCase(), 'gold')
  return (owner) => levels.get(owner.toLowerCase()) ?? 'silver'
}
