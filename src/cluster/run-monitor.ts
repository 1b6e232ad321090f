import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import {
  type CrawlDetails,
  type CrawlResult,
  type CrawlSnapshot,
  mergeDetails,
  noDetails,
  type SkipReason,
} from '../core/reports/crawl-report.ts'
import { createWhileAlive, withinLimit } from '../core/work/race.ts'
import type { Retries, Track } from '../core/work/retries.ts'
import { isTemporary } from '../core/work/retry.ts'
import { sharedSettings } from '../crawl/crawl-settings.ts'
import { createSeeding, type Seeding } from '../crawl/seeding.ts'
import type { NodeStore } from '../store/contracts/cluster/nodes.ts'
import type { ClusterRunStore, JoinedRun, LiveShare } from '../store/contracts/cluster/runs.ts'
import { statOf } from '../store/rules/node-state.ts'
import type { FrontierTotals } from './control.ts'
import type { WorkerNode } from './node.ts'
import { addCounts, type Counts, countsOf, noCounts, type RunStats } from './node-stats.ts'

/** How a crawl ended, as seen by the process that waits for it. */
type Ending = 'finished' | 'limit' | 'interrupted'

type RunSums = { counts: Counts; details: CrawlDetails; peakRssBytes: number; queued: number; seen: number }

export type ClusterCrawlDeps = {
  node: WorkerNode
  runs: ClusterRunStore
  nodes: Pick<NodeStore, 'list'>
  frontier: FrontierTotals
  clock: Pick<Clock, 'now'>
  log: Logger
  retries: Retries
  /** Elapsed time since the command began. */
  seconds(): number
  signal: AbortSignal
  leaving: Leaving
  onProgress(snapshot: CrawlSnapshot): void
}

/** Waits for a part to end cleanly, up to a time limit if the crawl was interrupted. */
export type Leaving = (work: Promise<void>) => Promise<void>

/** The database may not answer at all. Other workers take over from one that is gone, and its requests in flight are still queued. */
const LEAVE_MS = 10_000

/** All parts share one time limit, counted from the interruption. */
export function createLeaving(signal: AbortSignal): Leaving {
  let endsAt = Number.POSITIVE_INFINITY
  return (work) => {
    if (!signal.aborted) return work
    const now = systemClock.monotonic()
    endsAt = Math.min(endsAt, now + LEAVE_MS)
    return withinLimit(work, Math.max(0, endsAt - now), () => {})
  }
}

const POLL_MS = 100
const PROGRESS_MS = 200

/**
 * A cluster crawl, in the process that requested it. The process is
 * - a worker like others, once it has joined;
 * - waiting for the other workers to take over the settings of the run: before that, they couldn't tell which links belong to it;
 * - seeding;
 * - crawling with the others, until nothing of the run is queued anywhere, the page limit is reached, or the signal interrupts it;
 * - leaving. When the run is finished it waits for the final stats of the others; otherwise they continue without it.
 */
export async function crawlInCluster(deps: ClusterCrawlDeps, settings: CrawlSettings): Promise<CrawlResult> {
  const { node, runs, clock, log, signal, seconds, onProgress } = deps
  const liveMs = settings.config.cluster.leaseMs
  const untilKnown = createUntilKnown(deps.retries.track('following the crawl'), createInterruption(signal))
  const shared = sharedSettings(settings)
  const run = await untilKnown(() => runs.join(node.id, shared, { at: clock.now(), liveMs }))
  if (run === null) return interruptedResult(seconds())
  logRun(run, log)
  const monitor = createRunMonitor(deps, run, liveMs)
  await untilKnown(monitor.begin)
  node.workerPool.start()
  const progress = setInterval(() => onProgress(monitor.snapshot()), PROGRESS_MS)
  try {
    await untilKnown(() => monitor.othersFollow((workers) => logWaiting(workers, log)))
    const seeding = createSeeding(settings.seeds)
    await untilKnown(() => monitor.seed(seeding))
    const ending = (signal.aborted ? null : await untilKnown(monitor.poll)) ?? 'interrupted'
    await deps.leaving(node.workerPool.end())
    if (ending === 'finished') await untilKnown(monitor.finalReports)
    let sums = nothing // if interrupted while the database is away
    await deps.leaving(
      monitor.sums().then(
        (known) => {
          sums = known
        },
        () => {},
      ),
    )
    onProgress(monitor.snapshot())
    return resultOf(ending, seconds(), sums)
  } finally {
    clearInterval(progress)
  }
}

/** The result of a crawl that was interrupted before it could join. */
export const interruptedResult = (seconds: number): CrawlResult => resultOf('interrupted', seconds, nothing)

const interrupted = Symbol('interrupted')

/** Rejects with the symbol when the signal aborts. */
function createInterruption(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {}) // observed by createUntilKnown
  if (signal.aborted) reject(interrupted)
  else signal.addEventListener('abort', () => reject(interrupted), { once: true })
  return promise
}

/**
 * Polls until there is an answer; `undefined` means not yet. Resolves to null on interruption, without waiting for a database that
 * doesn't respond.
 */
function createUntilKnown(track: Track, interruption: Promise<never>) {
  const unlessInterrupted = createWhileAlive(interruption)
  return async <T>(ask: () => Promise<T | undefined>): Promise<T | null> => {
    for (;;) {
      try {
        const answer = await unlessInterrupted(ask())
        track.done()
        if (answer !== undefined) return answer
        await unlessInterrupted(wait(POLL_MS))
      } catch (error) {
        if (error === interrupted) {
          track.done()
          return null
        }
        if (!isTemporary(error)) throw error
        track.failed(error)
        await wait(POLL_MS)
      }
    }
  }
}

function logRun({ id, continued, others }: JoinedRun, log: Logger): void {
  if (others) log.info({ run: id }, 'joining the crawl in progress: its settings apply, the seeds are added')
  else if (continued) log.info({ run: id }, 'continuing the interrupted crawl')
}

function logWaiting(workers: number, log: Logger): void {
  log.info({ workers }, 'waiting for the other workers to finish what they have in flight')
}

/** The other nodes report their stats each second. */
const SUM_MS = 500
/** With this many requests queued, the end isn't near, and totals are read less often. */
const MANY_QUEUED = 1_000
/** Interval between attempts to close the run while requests are queued. They may be those of watches: only the store can tell. */
const CLOSE_MS = 2_000

/** One run, as seen by the command that waits for its end. Work done before the command joined isn't counted. */
function createRunMonitor(
  { node, runs, nodes, frontier, clock, signal }: ClusterCrawlDeps,
  run: JoinedRun,
  liveMs: number,
) {
  const { workerPool } = node
  let before = noCounts()
  let others: LiveShare[] = []
  let totals = { queued: 0, seen: 0 }
  let summedAt = -SUM_MS
  let closedAt = systemClock.monotonic()
  let hasReported = false

  async function readShares(): Promise<LiveShare[]> {
    const shares = await runs.shares(run.id, liveMs)
    others = shares.filter((share) => share.node !== node.id)
    return shares
  }

  /** True if pages may still be fetched: a node holds some, or some aren't taken yet. */
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
    /** True once all workers have the settings of the run: without them, they would reject its links. */
    async othersFollow(onWaiting: (count: number) => void): Promise<true | undefined> {
      const late = (await nodes.list()).filter((each) => {
        const isWorker = each.role === 'worker' || each.role === 'crawl'
        const follows = statOf(each, 'run') === run.id && statOf(each, 'revision') >= run.revision
        return isWorker && each.seenMsAgo < liveMs && !follows
      })
      if (late.length === 0) return true
      const waiting = late.filter(({ id }) => id !== node.id).length
      if (!hasReported && waiting > 0) onWaiting(waiting)
      hasReported ||= waiting > 0
      return undefined
    },
    /** True once all seeds are accepted. */
    async seed(seeding: Seeding): Promise<true | undefined> {
      const shardGroup = workerPool.shardGroup()
      if (shardGroup === null) return undefined
      await seeding.run(shardGroup.seed, () => signal.aborted)
      if (!seeding.isComplete()) return undefined
      await runs.setSeeding(run.id, node.id, false)
      return true
    },
    async poll(): Promise<'finished' | 'limit' | undefined> {
      const isSummed = systemClock.monotonic() - summedAt <= SUM_MS
      if (!isSummed || totals.queued < MANY_QUEUED) totals = await frontier.totals(run.id)
      if (!isSummed) {
        await readShares()
        summedAt = systemClock.monotonic()
      }
      if (await isFinished()) return 'finished'
      return (await hasPages()) ? undefined : 'limit'
    },
    /** True once all live nodes have sent their final report. */
    async finalReports(): Promise<true | undefined> {
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
        paused: node.healthError() ?? healthError,
      }
    },
    async sums(): Promise<RunSums> {
      const shares = await readShares()
      const { queued, seen } = await frontier.totals(run.id)
      const stats = shares.map((share) => share.stats as Partial<RunStats>)
      return {
        counts: addCounts(sumOf(shares), before, -1),
        details: mergeDetails(stats.flatMap(({ details }) => (details === undefined ? [] : [details]))),
        // The largest process, not the sum: a process that was replaced must not be added to its successor.
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

function resultOf(ending: Ending, seconds: number, sums: RunSums): CrawlResult {
  const { refused: _, skipped, ...counts } = sums.counts
  return {
    ...counts,
    skipped: skipped as Record<SkipReason, number>,
    seen: sums.seen,
    // Requests of watches may be queued at any time; they don't belong to this crawl.
    queued: ending === 'finished' ? 0 : sums.queued,
    seconds: Math.round(seconds * 1000) / 1000,
    perSecond: Math.round((counts.fetched / seconds) * 10) / 10,
    peakRssBytes: sums.peakRssBytes,
    finished: ending === 'finished',
    interrupted: ending === 'interrupted',
    details: sums.details,
  }
}
