import type { Logger } from 'pino'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { Clock } from '../core/clock.ts'
import { type CrawlDetails, mergeDetails } from '../core/reports/crawl-report.ts'
import type { ClusterRunStore, RunMark } from '../store/contracts/cluster-runs.ts'
import type { EpochMemory } from '../store/contracts/held-epochs.ts'
import type { NodeOrders } from '../store/contracts/nodes.ts'
import { addCounts, type Counts, countsOf, type NodeState, noCounts, runStatsOf } from './node-stats.ts'
import { createRunPages, type RunPages } from './page-budget.ts'
import { type Loop, startLoop } from './poll-loop.ts'
import { withShared } from './run-settings.ts'
import { createShardGroup, type ShardGroup, threadsOf } from './shard-group.ts'

export type WorkerPoolOptions = {
  address: string
  own: CrawlSettings
  node: string
  name: string
  seed: readonly [number, number]
  epochs: EpochMemory
  runs: ClusterRunStore
  clock: Clock
  log: Logger
  /** Whoever began a run works on nothing else: when it is finished, nothing is begun. */
  staysWith: boolean
  /** It works under other settings from now on. */
  onChanged(): void
  onHealthError(message: string | null): void
  onFailed(error: unknown): void
}

/**
 * Which settings the shards of a worker work under. There is
 * - no crew, at the beginning, while settings change, and at the end: `mark` says run 0;
 * - a crew for a run that is open, under a revision of its settings;
 * - a crew for no run, under the worker's own settings, which serves watches alone. Its revision is 0.
 * A crew that is replaced finishes what it has in flight and hands its partitions over before the next one begins.
 */
export type WorkerPool = {
  /** Begins to follow the runs of the cluster. */
  start(): void
  /** There may be another run. */
  look(): void
  obey(orders: NodeOrders): void
  shardGroup(): ShardGroup | null
  state(): NodeState
  /** The last crew hands over. */
  end(): Promise<void>
}

type InRun = { id: number; counts: Counts; details: CrawlDetails[]; pages: RunPages }

const FOLLOW_MS = 1_000
const PAGES_MS = 100
/** Of looks at the run, between two at whether anything is left of it: whoever waits for that looks more often. */
const CLOSE_LOOKS = 5
const noMark: RunMark = { id: 0, revision: 0 }

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { own, node, runs, clock, log } = options
  const liveMs = own.config.cluster.leaseMs
  const owed: (() => Promise<void>)[] = []
  let shardGroup: ShardGroup | null = null
  let isAtWork = false
  let base = noCounts()
  /** What earlier crews of this process have done for the run. */
  let inRun = beginRun(0)
  let orders: NodeOrders = { draining: false, paused: false, held: false }
  let loops: Loop[] = []
  let looks = 0
  let isEnding = false
  const pages = { inHand: 0, isTurning: false, isShown: false }

  function beginRun(id: number): InRun {
    return { id, counts: noCounts(), details: [], pages: createRunPages({ runs, run: id, node }) }
  }

  /** The mark of what is wanted; null where nothing is. */
  async function wanted(): Promise<RunMark | null> {
    const open = await runs.current()
    if (open !== null) return open
    if (options.staysWith) return shardGroup?.mark ?? null
    return shardGroup?.mark.revision === 0 ? shardGroup.mark : { id: (await runs.last())?.id ?? 1, revision: 0 }
  }

  async function begin(mark: RunMark): Promise<void> {
    const shared = mark.revision === 0 ? null : await runs.settings(mark.id)
    const settings = shared === null ? own : withShared(own, shared)
    const { limit } = shared === null ? { limit: null } : await runs.pages(mark.id)
    if (inRun.id !== mark.id) inRun = beginRun(mark.id)
    if (mark.revision > 0) await runs.put({ run: mark.id, node, stats: inRun.counts, pages: 0, final: false })
    const { address, name, seed, epochs } = options
    const looksBack = mark.revision !== 1 || mark.id > 1 || settings.depth !== null
    const place = { address, name, node, seed, epochs, log, pages: limit === null ? null : inRun.pages }
    shardGroup = createShardGroup({ ...place, settings, run: mark.id, revision: mark.revision, looksBack })
    shardGroup.failed.catch(options.onFailed)
    shardGroup.counters.hold(orders.paused || orders.held)
    // Whoever begins takes its share at once, unless it knows by then that it is to have none.
    if (orders.draining) shardGroup.drain(true)
    await Promise.race([shardGroup.start(), shardGroup.failed])
    shardGroup.drain(orders.draining)
    isAtWork = true
    options.onChanged()
  }

  async function leave(): Promise<void> {
    if (shardGroup === null) return payOwed()
    const { mark, counters, stop } = shardGroup
    isAtWork = false
    options.onChanged()
    const details = await stop()
    shardGroup = null
    base = addCounts(base, countsOf(counters))
    pages.inHand = 0
    pages.isTurning = false
    if (mark.revision > 0) {
      const counts = addCounts(inRun.counts, countsOf(counters))
      inRun = { ...inRun, counts, details: [...inRun.details, details] }
      const stats = { ...runStatsOf(counters), ...counts, details: mergeDetails(inRun.details) }
      owed.push(inRun.pages.settle)
      owed.push(() => runs.put({ run: mark.id, node, stats, pages: 0, final: true }))
    }
    await payOwed()
  }

  /** What must be written although the database may be away when its time comes. */
  async function payOwed(): Promise<void> {
    for (let next = owed[0]; next !== undefined; next = owed[0]) {
      await next()
      owed.shift()
    }
  }

  async function put({ mark, counters }: ShardGroup): Promise<void> {
    const stats = { ...runStatsOf(counters), ...addCounts(inRun.counts, countsOf(counters)) }
    // While pages are taken it is not known how many there are; that there are none must be true.
    const inHand = Math.max(pages.inHand, pages.isTurning ? 1 : 0)
    pages.isShown ||= inHand > 0
    await runs.put({ run: mark.id, node, stats, pages: inHand, final: false })
  }

  async function follow(): Promise<void> {
    await payOwed()
    const mark = await wanted()
    if (mark === null) return
    if (shardGroup === null || mark.id !== shardGroup.mark.id || mark.revision !== shardGroup.mark.revision) {
      await leave()
      if (!isEnding) await begin(mark)
    }
    if (shardGroup === null || shardGroup.mark.revision === 0) return
    await put(shardGroup)
    if (looks++ % CLOSE_LOOKS === CLOSE_LOOKS - 1) await runs.close(shardGroup.mark.id, { at: clock.now(), liveMs })
  }

  async function turnPages(): Promise<void> {
    const turned = shardGroup
    if (turned === null || !isAtWork || !turned.isLimited) return
    // Until the end of it, or that of another try where it fails.
    pages.isTurning = true
    pages.inHand = await turned.turnPages()
    pages.isTurning = false
    if (!isAtWork) return
    if (pages.inHand > 0) pages.isShown = true
    else if (pages.isShown) {
      // Whoever waits for the end of a limited crawl waits for this.
      pages.isShown = false
      await put(turned)
    }
  }

  return {
    start() {
      const { onHealthError, onFailed } = options
      loops = [
        startLoop({ everyMs: FOLLOW_MS, work: follow, onHealthError, onFailed }),
        startLoop({ everyMs: PAGES_MS, work: turnPages, onHealthError, onFailed }),
      ]
    },
    look: () => loops[0]?.now(),
    obey(given) {
      const wasDraining = orders.draining
      orders = given
      shardGroup?.counters.hold(given.paused || given.held)
      if (isAtWork && wasDraining !== given.draining) shardGroup?.drain(given.draining)
    },
    shardGroup: () => (isAtWork ? shardGroup : null),
    state: () => ({
      base,
      counters: shardGroup?.counters ?? null,
      mark: isAtWork && shardGroup !== null ? shardGroup.mark : noMark,
      threads: threadsOf(own),
    }),
    async end() {
      isEnding = true
      for (const loop of loops) await loop.end()
      await leave()
    },
  }
}
