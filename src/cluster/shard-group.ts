import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import { startPostgresShards } from '../app/threads/postgres-shards.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import { systemClock } from '../core/clock.ts'
import { type CrawlDetails, mergeDetails } from '../core/reports/crawl-report.ts'
import { createCounterMemory, openSharedCounters, type SharedCounters } from '../crawl/worker/shared-counters.ts'
import type { RunMark } from '../store/contracts/cluster-runs.ts'
import type { EpochMemory } from '../store/contracts/held-epochs.ts'
import type { RunPages } from './page-budget.ts'

export type ShardGroupOptions = {
  address: string
  settings: CrawlSettings
  node: string
  name: string
  seed: readonly [number, number]
  epochs: EpochMemory
  run: number
  /** Of the run's settings; 0 for the worker's own. */
  revision: number
  looksBack: boolean
  /** Those of its run, where they are counted. */
  pages: RunPages | null
  log: Logger
}

/** The shards of a worker under the settings of one run, or under its own. */
export type ShardGroup = {
  readonly mark: RunMark
  readonly counters: SharedCounters
  /** Its pages are counted. */
  readonly isLimited: boolean
  start(): Promise<void>
  seed(urls: readonly string[]): Promise<void>
  drain(draining: boolean): void
  /** Takes pages from the run or gives them back, as they are needed. Resolves to how many the crew has in its hands. */
  turnPages(): Promise<number>
  /** Finishes what is in hand and hands over. Pages that were not needed are put back. */
  stop(): Promise<CrawlDetails>
  readonly failed: Promise<never>
}

/** Looks without a request under way after which pages go back. */
const IDLE_LOOKS = 5
const ASK_AGAIN_MS = 1_000

export function threadsOf({ config }: CrawlSettings): number {
  return config.crawl.threads === 0 ? availableParallelism() : config.crawl.threads
}

export function createShardGroup(options: ShardGroupOptions): ShardGroup {
  const { settings, run, node, pages } = options
  const threads = threadsOf(settings)
  const memory = createCounterMemory(threads, pages === null ? null : 0)
  const counters = openSharedCounters(memory)
  const { address, name, looksBack, seed, epochs, log } = options
  const place = { address, settings, node, name, shards: threads, run, looksBack, seed, memory, epochs, log }
  const shards = startPostgresShards(place)
  const portion = Math.max(1, settings.config.crawl.fetchers)
  let idleLooks = 0
  /** Monotonic: there was none left the last time. */
  let askAt = 0

  let turning: Promise<unknown> = Promise.resolve()

  async function takePages(from: RunPages): Promise<void> {
    if (systemClock.monotonic() < askAt) return
    const granted = await from.take(portion)
    counters.grantPages(granted)
    if (granted === 0) askAt = systemClock.monotonic() + ASK_AGAIN_MS
  }

  /** Not to be fetched from now on, whenever the run hears of it. */
  async function giveBack(to: RunPages): Promise<void> {
    to.putBack(counters.withdrawPages())
    await to.settle()
  }

  async function turnPages(of: RunPages): Promise<number> {
    const inFlight = counters.total('inFlight')
    idleLooks = inFlight === 0 ? idleLooks + 1 : 0
    await of.settle()
    const left = counters.pagesLeft()
    const isWanted = counters.wantsPages()
    if (isWanted ? left === 0 : inFlight > 0 && left < portion / 2) await takePages(of)
    else if (left > 0 && idleLooks >= IDLE_LOOKS) await giveBack(of)
    // A request that has just begun may not be seen yet.
    return counters.pagesLeft() + (idleLooks > 1 ? 0 : Math.max(1, inFlight))
  }

  return {
    mark: { id: run, revision: options.revision },
    counters,
    isLimited: pages !== null,
    failed: shards.failed,
    start: () => shards.start(),
    seed: (urls) => shards.seed(urls),
    drain: (draining) => shards.drain(draining),
    turnPages() {
      const turned = pages === null ? Promise.resolve(0) : turnPages(pages)
      turning = turned.catch(() => {})
      return turned
    },
    async stop() {
      counters.stop()
      const details = await Promise.race([shards.stop(), shards.failed])
      await shards.end()
      // What was on its way when it began to stop is put back, too.
      await turning
      pages?.putBack(counters.withdrawPages())
      return mergeDetails(details)
    },
  }
}
