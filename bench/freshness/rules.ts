import type { SimulatedPage, SimulatedPolicy } from '../../src/services/scheduler/simulation/simulate.ts'
import { scaleFor } from '../../src/services/scheduler/value/share-out.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const within = (ms: number, least: number, most: number): number => Math.min(Math.max(ms, least), most)

/** Apache Nutch's AdaptiveFetchSchedule with its defaults: interval × 0.8 after a change, × 1.4 otherwise; a minute to a year. */
export const nutch = (firstMs: number): SimulatedPolicy => ({
  name: "Nutch's rule",
  kind: 'rule',
  firstMs: () => firstMs,
  next: (ms, changed) => within(changed ? ms * 0.8 : ms * 1.4, MINUTE_MS, 365 * DAY_MS),
})

/** StormCrawler's AdaptiveScheduler with its defaults: interval × 0.5 after a change, × 1.5 otherwise; an hour to two weeks. */
export const stormCrawler = (firstMs: number): SimulatedPolicy => ({
  name: "StormCrawler's rule",
  kind: 'rule',
  firstMs: () => firstMs,
  next: (ms, changed) => within(changed ? ms * 0.5 : ms * 1.5, 60 * MINUTE_MS, 14 * DAY_MS),
})

export const uniformPolicy = (everyMs: number): SimulatedPolicy => fixed('uniform polling', () => everyMs)

function fixed(name: string, everyMs: (page: SimulatedPage) => number): SimulatedPolicy {
  return { name, kind: 'rule', firstMs: everyMs, next: (ms) => ms }
}

/** Frequencies proportional to √(rate × watchers), from the true rates, which are unknown in practice. */
export function known(pages: readonly SimulatedPage[], budget: number): SimulatedPolicy {
  const weightOf = ({ rate, demand }: SimulatedPage): number => Math.sqrt(rate * demand)
  const claims = pages.map((page) => ({
    ...{ weight: weightOf(page), rate: page.rate, cost: 1, level: 0 },
    ...{ least: 1 / page.everyMaxMs, most: 1 / page.everyMs },
  }))
  const scale = scaleFor(claims, budget)
  return fixed('known √(rate × watchers)', (page) =>
    within(1 / (scale * weightOf(page)), page.everyMs, page.everyMaxMs),
  )
}

/**
 * LambdaCrawl (Kolobov et al., 2019) for pages whose changes are not announced, from the true rates: the frequencies f within the budget
 * that maximise the sum of watchers × log(f / (f + rate)).
 */
export function lambdaCrawl(pages: readonly SimulatedPage[], budget: number): SimulatedPolicy {
  const frequency = ({ rate, demand }: SimulatedPage, price: number): number =>
    (Math.sqrt(rate ** 2 + (4 * demand * rate) / price) - rate) / 2
  let low = 1e-9
  let high = 1e30
  for (let step = 0; step < 200; step++) {
    const price = Math.sqrt(low * high)
    if (pages.reduce((sum, page) => sum + frequency(page, price), 0) > budget) low = price
    else high = price
  }
  return fixed('LambdaCrawl, known rates', (page) => within(1 / frequency(page, high), MINUTE_MS, 365 * DAY_MS))
}
