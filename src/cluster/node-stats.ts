import { type Clock, systemClock } from '../core/clock.ts'
import { type CrawlDetails, skipReasons } from '../core/reports/crawl-report.ts'
import { peakRssBytes } from '../core/work/process.ts'
import type { SharedCounters } from '../crawl/worker/shared-counters.ts'
import type { NodeStats } from '../store/contracts/cluster/nodes.ts'
import type { RunMark } from '../store/contracts/cluster/runs.ts'

/** Counts of a crawl that add up over shards, shard groups and nodes. */
export const countNames = [
  'fetched',
  'stored',
  'unchanged',
  'duplicates',
  'failed',
  'redirects',
  'links',
  'bytes',
  'refused',
  'statements',
  'sentBytes',
] as const

export type CountName = (typeof countNames)[number]

export type Counts = Record<CountName, number> & { skipped: Record<string, number> }

/** A node's report on its part in a run. */
export type RunStats = Counts & {
  activeHosts: number
  restingHosts: number
  paused: number
  peakRssBytes: number
  /** In the final report only. */
  details?: CrawlDetails
}

export function noCounts(): Counts {
  const counts = Object.fromEntries(countNames.map((name) => [name, 0])) as Record<CountName, number>
  return { ...counts, skipped: Object.fromEntries(skipReasons.map((reason) => [reason, 0])) }
}

export function countsOf(counters: SharedCounters): Counts {
  const counts = noCounts()
  for (const name of countNames) counts[name] = counters.total(name)
  for (const reason of skipReasons) counts.skipped[reason] = counters.total(`skipped.${reason}`)
  return counts
}

/** `sign` -1 subtracts. A count missing from another version's report is 0. */
export function addCounts(a: Counts, b: Partial<Counts>, sign: 1 | -1 = 1): Counts {
  const sum = noCounts()
  for (const name of countNames) sum[name] = a[name] + sign * (b[name] ?? 0)
  for (const reason of skipReasons) sum.skipped[reason] = a.skipped[reason]! + sign * (b.skipped?.[reason] ?? 0)
  return sum
}

export function runStatsOf(counters: SharedCounters, details?: CrawlDetails): RunStats {
  return {
    ...countsOf(counters),
    activeHosts: counters.total('activeHosts'),
    restingHosts: counters.total('restingHosts'),
    paused: counters.total('paused') > 0 ? 1 : 0,
    peakRssBytes: peakRssBytes(),
    ...(details === undefined ? {} : { details }),
  }
}

export type NodeState = {
  /** Counts of shard groups that have ended. */
  base: Counts
  counters: SharedCounters | null
  mark: RunMark
  threads: number
}

/** Everything except what only the node itself knows. */
export function nodeStatsOf(
  { base, counters, mark, threads }: NodeState,
  annotated: { tasks: number; annotations: number; refused: number },
): Omit<NodeStats, 'perSecond' | 'lastError' | 'waiting'> {
  const counts = counters === null ? base : addCounts(base, countsOf(counters))
  const gauge = (name: 'queued' | 'seen' | 'inFlight' | 'activeHosts' | 'restingHosts' | 'paused'): number =>
    counters?.total(name) ?? 0
  return {
    ...counts,
    refused: counts.refused + annotated.refused,
    tasks: annotated.tasks,
    annotations: annotated.annotations,
    threads,
    rssBytes: process.memoryUsage.rss(),
    run: mark.id,
    revision: mark.revision,
    queued: gauge('queued'),
    seen: gauge('seen'),
    inFlight: gauge('inFlight'),
    activeHosts: gauge('activeHosts'),
    restingHosts: gauge('restingHosts'),
    paused: gauge('paused') > 0 ? 1 : 0,
  }
}

/** Growth of a count per second, over the last `spanMs`. */
export function createRate(clock: Clock = systemClock, spanMs = 5_000): (count: number) => number {
  const samples: { at: number; count: number }[] = []
  return (count) => {
    const at = clock.monotonic()
    samples.push({ at, count })
    while (samples.length > 2 && at - samples[1]!.at >= spanMs) samples.shift()
    const first = samples[0]!
    return at === first.at ? 0 : Math.round(((count - first.count) * 10_000) / (at - first.at)) / 10
  }
}
