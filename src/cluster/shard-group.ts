import type { CrawlSettings } from '../config/crawl-settings.ts'
import { systemClock } from '../core/clock.ts'
import { type CrawlDetails, mergeDetails } from '../core/reports/crawl-report.ts'
import { createWhileAlive } from '../core/work/race.ts'
import { threadsOf } from '../crawl/crawl-settings.ts'
import { withSeedHosts } from '../crawl/seeding.ts'
import {
  type CounterMemory,
  createCounterMemory,
  openSharedCounters,
  type SharedCounters,
} from '../crawl/worker/shared-counters.ts'
import type { ClusterRunStore, RunMark } from '../store/contracts/cluster/runs.ts'

/** Starts one thread per shard, on the store of the cluster. */
export type StartShards = (options: ShardOptions) => ShardThreads

export type ShardOptions = {
  settings: CrawlSettings
  shards: number
  run: number
  /** Whether documents may already be known. */
  looksBack: boolean
  memory: CounterMemory
}

/**
 * The shard threads of one worker. Their leases decide which hosts they crawl. Losing the database isn't a failure: they wait for it, and
 * others hold their partitions meanwhile.
 */
export type ShardThreads = {
  /** Resolves when every shard has asked for its partitions. */
  start(): Promise<void>
  seed(urls: readonly string[]): Promise<void>
  /** While draining, they hand over all partitions and take none. */
  drain(draining: boolean): void
  /** Finishes and stores requests in flight, then hands over. */
  stop(): Promise<CrawlDetails[]>
  /** Ends the threads; without a prior `stop`, as if they were killed. */
  end(): Promise<void>
  /** Rejects on an error that retrying can't fix. */
  readonly failed: Promise<never>
}

export type ShardGroupOptions = {
  startShards: StartShards
  settings: CrawlSettings
  run: number
  /** Revision of the run's settings; 0 for the worker's own. */
  revision: number
  looksBack: boolean
  /** Page budget of the run; null if unlimited. */
  pages: RunPages | null
}

/** The shards of a worker under the settings of one run, or under its own. */
export type ShardGroup = Pick<ShardThreads, 'start' | 'seed' | 'drain' | 'failed'> & {
  readonly mark: RunMark
  readonly counters: SharedCounters
  /** Whether its pages are limited. */
  readonly isLimited: boolean
  /** Takes pages from the run or gives them back, as needed. Resolves to how many the group has left. */
  turnPages(): Promise<number>
  /** Finishes requests in flight and hands over. Unused pages are put back. */
  stop(): Promise<CrawlDetails>
}

/** Consecutive polls without a request in flight before pages go back. */
const IDLE_POLLS = 5
const ASK_AGAIN_MS = 1_000

export function createShardGroup(options: ShardGroupOptions): ShardGroup {
  const { settings, run, pages, looksBack } = options
  const threads = threadsOf(settings.config)
  const memory = createCounterMemory(threads, pages === null ? null : 0)
  const counters = openSharedCounters(memory)
  const shards = options.startShards({ settings: withSeedHosts(settings), shards: threads, run, looksBack, memory })
  const portion = Math.max(1, settings.config.crawl.fetchers)
  let idlePolls = 0
  /** Monotonic time of the next attempt; set when no page was left. */
  let askAt = 0

  let turning: Promise<unknown> = Promise.resolve()

  async function takePages(from: RunPages): Promise<void> {
    if (systemClock.monotonic() < askAt) return
    const granted = await from.take(portion)
    counters.grantPages(granted)
    if (granted === 0) askAt = systemClock.monotonic() + ASK_AGAIN_MS
  }

  /** The group may not fetch these pages from now on, even if the run learns of it later. */
  async function giveBack(to: RunPages): Promise<void> {
    to.putBack(counters.withdrawPages())
    await to.confirm()
  }

  async function turnPages(of: RunPages): Promise<number> {
    const inFlight = counters.total('inFlight')
    idlePolls = inFlight === 0 ? idlePolls + 1 : 0
    await of.confirm()
    const left = counters.pagesLeft()
    const isWanted = counters.wantsPages()
    if (isWanted ? left === 0 : inFlight > 0 && left < portion / 2) await takePages(of)
    else if (left > 0 && idlePolls >= IDLE_POLLS) await giveBack(of)
    // A request that has just begun may not be counted yet.
    return counters.pagesLeft() + (idlePolls > 1 ? 0 : Math.max(1, inFlight))
  }

  return {
    mark: { id: run, revision: options.revision },
    counters,
    isLimited: pages !== null,
    failed: shards.failed,
    start: shards.start,
    seed: shards.seed,
    drain: shards.drain,
    turnPages() {
      const turned = pages === null ? Promise.resolve(0) : turnPages(pages)
      turning = turned.catch(() => {})
      return turned
    },
    async stop() {
      counters.stop()
      const details = await createWhileAlive(shards.failed)(shards.stop())
      await shards.end()
      // Pages that were being taken when it began to stop are put back, too.
      await turning
      pages?.putBack(counters.withdrawPages())
      return mergeDetails(details)
    },
  }
}

/**
 * The pages of a limited run that this node has taken. It always reports their total, so reports are idempotent, and pages whose
 * grant got lost go back to the run.
 */
export type RunPages = {
  /** Resolves to the number of pages granted. */
  take(atMost: number): Promise<number>
  /** Returns unused pages: this node may no longer fetch them; others may, once `confirm` has reported it. */
  putBack(pages: number): void
  /** Reports the total again if the run may not know it. */
  confirm(): Promise<void>
}

export type RunPagesDeps = { runs: Pick<ClusterRunStore, 'takePages' | 'keepPages'>; run: number; node: string }

export function createRunPages({ runs, run, node }: RunPagesDeps): RunPages {
  let taken = 0
  let isConfirmed = true
  return {
    async take(atMost) {
      isConfirmed = false
      const pages = await runs.takePages(run, node, { had: taken, atMost })
      isConfirmed = true
      taken += pages
      return pages
    },
    putBack(pages) {
      if (pages === 0) return
      taken -= pages
      isConfirmed = false
    },
    async confirm() {
      if (isConfirmed) return
      await runs.keepPages(run, node, taken)
      isConfirmed = true
    },
  }
}
