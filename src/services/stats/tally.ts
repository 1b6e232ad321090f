import type { StatsRow, StatsTable } from '../../core/reports/stats-report.ts'

/** Names come from servers: there may be as many as documents. Only the first ones seen are counted individually. */
const MAX_NAMES = 50_000
const ROWS_SHOWN = 20

export type Tally = {
  add(name: string, n?: number): void
  readonly names: number
  table(about: Pick<StatsTable, 'id' | 'title' | 'note'>): StatsTable
}

/** Counts by name; the table shows the most frequent. */
export function createTally({ maxNames = MAX_NAMES } = {}): Tally {
  const counts = new Map<string, number>()
  let total = 0
  return {
    add(name, n = 1) {
      total += n
      const known = counts.get(name)
      if (known !== undefined || counts.size < maxNames) counts.set(name, (known ?? 0) + n)
    },
    get names() {
      return counts.size
    },
    table(about) {
      const rows = [...counts]
        .map(([name, count]): StatsRow => ({ name, count }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
        .slice(0, ROWS_SHOWN)
      const shown = rows.reduce((sum, { count }) => sum + count, 0)
      return { ...about, kind: 'ranking', rows, others: total - shown, total }
    },
  }
}

export type Distribution = {
  add(value: number, n?: number): void
  table(about: Pick<StatsTable, 'id' | 'title' | 'note'>): StatsTable
}

/** Histogram over ranges given by their inclusive upper bounds; the last range is open. `first` is the smallest value. */
export function createDistribution(
  bounds: readonly number[],
  nameOf: (from: number, to: number) => string,
  first = 0,
): Distribution {
  const counts = new Array<number>(bounds.length + 1).fill(0)
  return {
    add(value, n = 1) {
      const range = bounds.findIndex((bound) => value <= bound)
      const at = range < 0 ? bounds.length : range
      counts[at] = counts[at]! + n
    },
    table(about) {
      const used = counts.findLastIndex((count) => count > 0)
      const rows = counts.slice(0, used + 1).map((count, range): StatsRow => {
        const from = range === 0 ? first : bounds[range - 1]! + 1
        return { name: nameOf(from, bounds[range] ?? Number.POSITIVE_INFINITY), count }
      })
      return { ...about, kind: 'distribution', rows, others: 0, total: counts.reduce((sum, count) => sum + count, 0) }
    },
  }
}

/** Bounds of the ranges 0, 1, 2, 3–4, 5–8, … */
export function powersOfTwo(last: number): number[] {
  return [0, ...Array.from({ length: last + 1 }, (_, power) => 2 ** power)]
}

export function rangeName(from: number, to: number): string {
  if (from === to) return String(from)
  return to === Number.POSITIVE_INFINITY ? `over ${from - 1}` : `${from}–${to}`
}
