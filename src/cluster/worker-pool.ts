import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { Clock } from '../core/clock.ts'
import { type CrawlDetails, mergeDetails } from '../core/reports/crawl-report.ts'
import { createWhileAlive } from '../core/work/race.ts'
import type { Retries } from '../core/work/retries.ts'
import { threadsOf, withSharedSettings } from '../crawl/crawl-settings.ts'
import type { NodeOrders } from '../store/contracts/cluster/nodes.ts'
import type { ClusterRunStore, RunMark } from '../store/contracts/cluster/runs.ts'
import { addCounts, type Counts, countsOf, type NodeState, noCounts, runStatsOf } from './node-stats.ts'
import { type Loop, startLoop } from './poll-loop.ts'
import { createRunPages, createShardGroup, type RunPages, type ShardGroup, type StartShards } from './shard-group.ts'

export type WorkerPoolDeps = {
  startShards: StartShards
  own: CrawlSettings
  /** Id of the node. */
  node: string
  runs: ClusterRunStore
  clock: Clock
  /** True for a node that started a run: it works on nothing else, and starts nothing after the run. */
  staysWith: boolean
  /** Called when the settings it works under have changed. */
  onChanged(): void
  retries: Retries
  onFailed(error: unknown): void
}

/**
 * Decides under which settings the shards of a worker run. There is
 * - no shard group, at the start, while settings change, and at the end: `mark` says run 0;
 * - a group for an open run, under a revision of its settings;
 * - a group for no run, under the worker's own settings, which serves watches only. Its revision is 0.
 * A group that is replaced finishes what it has in flight and hands its partitions over before the next one starts.
 */
export type WorkerPool = {
  /** Begins to follow the runs of the cluster. */
  start(): void
  /** Checks now whether there is another run. */
  poll(): void
  obey(orders: NodeOrders): void
  shardGroup(): ShardGroup | null
  state(): NodeState
  /** Resolves when the last shard group has handed over. */
  end(): Promise<void>
}

type InRun = { id: number; counts: Counts; details: CrawlDetails[]; pages: RunPages }

const FOLLOW_MS = 1_000
const PAGES_MS = 100
/** Polls per attempt to close the run; a process that waits for the end of the run tries more often. */
const CLOSE_POLLS = 5
const noMark: RunMark = { id: 0, revision: 0 }

export function createWorkerPool(deps: WorkerPoolDeps): WorkerPool {
  const { own, node, runs, clock } = deps
  const liveMs = own.config.cluster.leaseMs
  const owed: (() => Promise<void>)[] = []
  let shardGroup: ShardGroup | null = null
  let isAtWork = false
  let base = noCounts()
  /** What earlier groups of this process have done for the run. */
  let inRun = beginRun(0)
  let orders: NodeOrders = { draining: false, paused: false, held: false }
  let loops: Loop[] = []
  let polls = 0
  let isEnding = false
  const pages = { inHand: 0, isTurning: false, isShown: false }

  function beginRun(id: number): InRun {
    return { id, counts: noCounts(), details: [], pages: createRunPages({ runs, run: id, node }) }
  }

  /** The mark of the run to work on; null if there is nothing to do. */
  async function wanted(): Promise<RunMark | null> {
    const open = await runs.current()
    if (open !== null) return open
    if (deps.staysWith) return shardGroup?.mark ?? null
    return shardGroup?.mark.revision === 0 ? shardGroup.mark : { id: (await runs.last())?.id ?? 1, revision: 0 }
  }

  async function begin(mark: RunMark): Promise<void> {
    const shared = mark.revision === 0 ? null : await runs.settings(mark.id)
    const settings = shared === null ? own : withSharedSettings(own, shared)
    const { limit } = shared === null ? { limit: null } : await runs.pages(mark.id)
    if (inRun.id !== mark.id) inRun = beginRun(mark.id)
    if (mark.revision > 0) await runs.put({ run: mark.id, node, stats: inRun.counts, pages: 0, final: false })
    const looksBack = mark.revision !== 1 || mark.id > 1 || settings.depth !== null
    const budget = limit === null ? null : inRun.pages
    const group = { settings, run: mark.id, revision: mark.revision, looksBack, pages: budget }
    shardGroup = createShardGroup({ ...group, startShards: deps.startShards })
    shardGroup.failed.catch(deps.onFailed)
    shardGroup.counters.throttle(orders.paused || orders.held)
    // A new group takes its share of partitions at once, unless it is draining already.
    if (orders.draining) shardGroup.drain(true)
    await createWhileAlive(shardGroup.failed)(shardGroup.start())
    shardGroup.drain(orders.draining)
    isAtWork = true
    deps.onChanged()
  }

  async function leave(): Promise<void> {
    if (shardGroup === null) return writeOwed()
    const { mark, counters, stop } = shardGroup
    isAtWork = false
    deps.onChanged()
    const details = await stop()
    shardGroup = null
    base = addCounts(base, countsOf(counters))
    pages.inHand = 0
    pages.isTurning = false
    if (mark.revision > 0) {
      const counts = addCounts(inRun.counts, countsOf(counters))
      inRun = { ...inRun, counts, details: [...inRun.details, details] }
      const stats = { ...runStatsOf(counters), ...counts, details: mergeDetails(inRun.details) }
      owed.push(inRun.pages.confirm)
      owed.push(() => runs.put({ run: mark.id, node, stats, pages: 0, final: true }))
    }
    await writeOwed()
  }

  /** Writes what could not be written while the database was away. */
  async function writeOwed(): Promise<void> {
    for (let next = owed[0]; next !== undefined; next = owed[0]) {
      await next()
      owed.shift()
    }
  }

  async function put({ mark, counters }: ShardGroup): Promise<void> {
    const stats = { ...runStatsOf(counters), ...addCounts(inRun.counts, countsOf(counters)) }
    // While pages are being taken their number is unknown; 0 may only be reported when it is certain.
    const inHand = Math.max(pages.inHand, pages.isTurning ? 1 : 0)
    pages.isShown ||= inHand > 0
    await runs.put({ run: mark.id, node, stats, pages: inHand, final: false })
  }

  async function follow(): Promise<void> {
    await writeOwed()
    const mark = await wanted()
    if (mark === null) return
    if (shardGroup === null || mark.id !== shardGroup.mark.id || mark.revision !== shardGroup.mark.revision) {
      await leave()
      if (!isEnding) await begin(mark)
    }
    if (shardGroup === null || shardGroup.mark.revision === 0) return
    await put(shardGroup)
    if (polls++ % CLOSE_POLLS === CLOSE_POLLS - 1) await runs.close(shardGroup.mark.id, { at: clock.now(), liveMs })
  }

  async function turnPages(): Promise<void> {
    const turned = shardGroup
    if (turned === null || !isAtWork || !turned.isLimited) return
    // Stays true after a failure, until a later turn succeeds.
    pages.isTurning = true
    pages.inHand = await turned.turnPages()
    pages.isTurning = false
    if (!isAtWork) return
    if (pages.inHand > 0) pages.isShown = true
    else if (pages.isShown) {
      // Report it at once: a process may be waiting for the end of the limited crawl.
      pages.isShown = false
      await put(turned)
    }
  }

  return {
    start() {
      const { retries, onFailed } = deps
      loops = [
        startLoop({ everyMs: FOLLOW_MS, work: follow, track: retries.track('following runs'), onFailed }),
        startLoop({ everyMs: PAGES_MS, work: turnPages, track: retries.track('taking pages of a run'), onFailed }),
      ]
    },
    poll: () => loops[0]?.now(),
    obey(given) {
      const wasDraining = orders.draining
      orders = given
      shardGroup?.counters.throttle(given.paused || given.held)
      if (isAtWork && wasDraining !== given.draining) shardGroup?.drain(given.draining)
    },
    shardGroup: () => (isAtWork ? shardGroup : null),
    state: () => ({
      base,
      counters: shardGroup?.counters ?? null,
      mark: isAtWork && shardGroup !== null ? shardGroup.mark : noMark,
      threads: threadsOf(own.config),
    }),
    async end() {
      isEnding = true
      for (const loop of loops) await loop.end()
      await leave()
    },
  }
}
