import { systemClock } from '../core/clock.ts'
import {
  type CrawlDetails,
  type CrawlResult,
  type CrawlSnapshot,
  mergeDetails,
  type SkipReason,
} from '../core/reports/crawl-report.ts'
import type { JoinedRun, LiveShare } from '../store/contracts/cluster-runs.ts'
import { statOf } from '../store/rules/node-state.ts'
import type { WorkerNode } from './node.ts'
import { addCounts, type Counts, countsOf, noCounts, type RunStats } from './node-stats.ts'

/** How a crawl came to its end, as far as whoever waits for it is concerned. */
export type Ending = 'finished' | 'limit' | 'interrupted'

export type RunSums = { counts: Counts; details: CrawlDetails; peakRssBytes: number; queued: number; seen: number }

export type RunWatchOptions = { node: WorkerNode; run: JoinedRun; liveMs: number }

const noDetails: CrawlDetails = {
  statusCodes: {},
  mediaTypes: {},
  failures: {},
  slowestHosts: [],
  restingHosts: [],
  givenUpHosts: [],
}

/** Figures of others come each second. */
const SUM_MS = 500
/** Requests of watches may be queued all the time: then only a closer look tells whether the run is over. */
const CLOSE_MS = 2_000

/** One run of a cluster, as the command sees that waits for its end. What was done in it before is not counted. */
export function createRunWatch({ node, run, liveMs }: RunWatchOptions) {
  const { runs, nodes, stores, workerPool, clock } = node
  let before = noCounts()
  let others: LiveShare[] = []
  let totals = { queued: 0, seen: 0 }
  let summedAt = -SUM_MS
  let closedAt = systemClock.monotonic()
  let hasTold = false

  async function readShares(): Promise<LiveShare[]> {
    const shares = await runs.shares(run.id, liveMs)
    others = shares.filter((share) => share.node !== node.id)
    return shares
  }

  /** Pages that may be fetched are with somebody, or not taken yet. */
  async function hasPages(): Promise<boolean> {
    const { limit, taken } = await runs.pages(run.id)
    if (limit === null || taken < limit) return true
    return (await readShares()).some(({ pages, live, node: id }) => pages > 0 && (live || id === node.id))
  }

  async function isFinished(): Promise<boolean> {
    const now = systemClock.monotonic()
    if (totals.queued > 0 && now - closedAt < CLOSE_MS) return runs.isFinished(run.id)
    closedAt = now
    return runs.close(run.id, { at: clock.now(), liveMs })
  }

  return {
    async begin(): Promise<true> {
      before = sumOf(await readShares())
      return true
    },
    /** When everybody works under the settings of the run: whoever does not would take its links for none of theirs. */
    async othersFollow(onWaiting: (count: number) => void): Promise<true | undefined> {
      const late = (await nodes.list()).filter((each) => {
        const isWorker = each.role === 'worker' || each.role === 'crawl'
        const follows = statOf(each, 'run') === run.id && statOf(each, 'revision') >= run.revision
        return isWorker && each.seenMsAgo < liveMs && !follows
      })
      if (late.length === 0) return true
      const waiting = late.filter(({ id }) => id !== node.id).length
      if (!hasTold && waiting > 0) onWaiting(waiting)
      hasTold ||= waiting > 0
      return undefined
    },
    async seed(urls: readonly string[]): Promise<true | undefined> {
      const shardGroup = workerPool.shardGroup()
      if (shardGroup === null) return undefined
      await shardGroup.seed(urls)
      await runs.setSeeding(run.id, node.id, false)
      return true
    },
    async look(): Promise<Ending | null> {
      totals = await stores.frontier.totals(run.id)
      if (systemClock.monotonic() - summedAt > SUM_MS) {
        await readShares()
        summedAt = systemClock.monotonic()
      }
      if (await isFinished()) return 'finished'
      return (await hasPages()) ? null : 'limit'
    },
    /** When everybody who lives has said what there was. */
    async lastWords(): Promise<true | undefined> {
      const shares = await readShares()
      return shares.every(({ final, live }) => final || !live) ? true : undefined
    },
    snapshot(): CrawlSnapshot {
      const { base, counters } = workerPool.state()
      const own = counters === null ? base : addCounts(base, countsOf(counters))
      const counts = addCounts(addCounts(sumOf(others), own), before, -1)
      const gauge = (name: 'activeHosts' | 'restingHosts'): number =>
        others.reduce((sum, { live, stats }) => sum + (live ? statOf({ stats }, name) : 0), counters?.total(name) ?? 0)
      const isPaused = counters !== null && counters.total('paused') > 0
      const healthError = isPaused ? 'the store takes no writes, see the log' : undefined
      return {
        fetched: counts.fetched,
        stored: counts.stored,
        failed: counts.failed,
        bytes: counts.bytes,
        queued: totals.queued,
        hostsActive: gauge('activeHosts'),
        hostsResting: gauge('restingHosts'),
        paused: node.healthError() === null ? healthError : 'the database does not answer',
      }
    },
    async sums(): Promise<RunSums> {
      const shares = await readShares()
      const { queued, seen } = await stores.frontier.totals(run.id)
      const stats = shares.map((share) => share.stats as Partial<RunStats>)
      return {
        counts: addCounts(sumOf(shares), before, -1),
        details: mergeDetails(stats.flatMap(({ details }) => (details === undefined ? [] : [details]))),
        // Of the largest process: those that were replaced are not to be added to those who came.
        peakRssBytes: Math.max(0, ...stats.map(({ peakRssBytes = 0 }) => peakRssBytes)),
        queued,
        seen,
      }
    },
  }
}

function sumOf(shares: readonly LiveShare[]): Counts {
  return shares.reduce((sum, { stats }) => addCounts(sum, stats as Partial<Counts>), noCounts())
}

const nothing: RunSums = { counts: noCounts(), details: noDetails, peakRssBytes: 0, queued: 0, seen: 0 }

export function resultOf({
  ending,
  seconds,
  sums = nothing,
}: {
  ending: Ending
  seconds: number
  sums?: RunSums
}): CrawlResult {
  const { refused: _, skipped, ...counts } = sums.counts
  return {
    ...counts,
    skipped: skipped as Record<SkipReason, number>,
    seen: sums.seen,
    // Requests of watches, which may be queued at any time, are none of this crawl's.
    queued: ending === 'finished' ? 0 : sums.queued,
    seconds: Math.round(seconds * 1000) / 1000,
    perSecond: Math.round((counts.fetched / seconds) * 10) / 10,
    peakRssBytes: sums.peakRssBytes,
    finished: ending === 'finished',
    interrupted: ending === 'interrupted',
    details: sums.details,
  }
}
