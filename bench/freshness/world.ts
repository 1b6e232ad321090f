import { createSeries, type SimulatedPage } from '../../src/services/scheduler/simulation/simulate.ts'

const DAY_MS = 86_400_000

export type Rates = 'heavy-tailed' | 'log-normal'

/** Typical watched pages: most rarely change, few change constantly; few have many watchers. The two are independent. */
export function createWorld(count: number, watchers: number, rates: Rates, seed: number): SimulatedPage[] {
  const series = createSeries(seed * 7919)
  const demands = watchersOf(count, watchers)
  // Assign watchers to pages at random.
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(series() * (at + 1))
    ;[demands[at], demands[other]] = [demands[other]!, demands[at]!]
  }
  return demands.map((demand) => ({
    demand,
    rate: (rates === 'heavy-tailed' ? paretoPerDay(series) : logNormalPerDay(series)) / DAY_MS,
    everyMs: 15 * 60_000,
    everyMaxMs: 30 * DAY_MS,
    groups: ['web'],
  }))
}

/** Pareto distribution from one change a month to one every half hour; a rate three times as high is half as common. */
function paretoPerDay(series: () => number): number {
  return Math.min(48, 0.03 / (1 - series()) ** (1 / 0.6))
}

/** Log-normal: half of the pages change less than once a week; two thirds are within a factor of seven of that. */
function logNormalPerDay(series: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - series())) * Math.cos(2 * Math.PI * series())
  return Math.min(48, Math.exp(Math.log(1 / 7) + 2 * normal))
}

/** Zipf distribution with at least one watcher per page. */
function watchersOf(count: number, total: number): number[] {
  let low = 1
  let high = total
  const at = (most: number): number[] =>
    Array.from({ length: count }, (_, n) => Math.max(1, Math.floor(most / (n + 1))))
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (sum(at(middle)) <= total) low = middle
    else high = middle
  }
  const values = at(low)
  values[0] = values[0]! + Math.max(0, total - sum(values))
  return values
}
