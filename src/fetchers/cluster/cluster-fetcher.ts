import type { CheckOrder, CheckResult, CrawlScope } from '../../core/check-order.ts'
import type { Clock } from '../../core/clock.ts'
import type { Offer } from '../../core/request.ts'
import type { CrawlScopeStore } from '../../store/contracts/cluster/crawl-scopes.ts'
import type { CheckResultStore, CheckStore, ClusterEvents } from '../../store/contracts/cluster/events.ts'
import type { NodeStore } from '../../store/contracts/cluster/nodes.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import type { Fetcher } from '../fetcher.ts'

export type ClusterFetcherDeps = Pick<Fetcher, 'schemes'> & {
  /** Epoch of the scheduler's leader; writes with an older one are refused. */
  epoch: number
  crawlScopes: CrawlScopeStore
  checks: CheckStore
  results: CheckResultStore
  watches: Pick<WatchStore, 'find'>
  nodes: Pick<NodeStore, 'hold'>
  /** The first requests of checks, keyed as workers key links. */
  offersOf(orders: readonly CheckOrder[]): { offers: Offer[]; failed: CheckResult[] }
  events: Pick<ClusterEvents, 'listen'>
  clock: Pick<Clock, 'monotonic'>
  /** How often it polls for results; 0 for never, for tests. */
  pollEveryMs?: number
}

export type ClusterFetcher = Fetcher & {
  /** Polls for results now, and counts the queued requests of all checks in progress. */
  poll(): Promise<void>
}

const POLL_EVERY_MS = 1_000
const COUNT_EVERY_MS = 2_000
/** Maximum share of the time spent counting. */
const COUNT_SHARE = 0.1
const THROTTLE_EVERY_MS = 5_000
const AT_ONCE = 1_000
const RESULTS_CHANNEL = 'news'

/**
 * Fetches with the workers of a cluster, which hold the partitions. They get everything from the store: first the scope of a
 * watch, then the first requests of a check.
 *
 * A worker writes the result of a request before it removes the request from the queue. So the queue is counted first, and the results
 * are taken after that: if nothing was queued, all results are known and the check is over. The numbers that workers report are only
 * hints to count early: a worker that crashes reports too few, and the one that repeats its work reports them twice. All checks in
 * progress are counted every two seconds in any case.
 *
 * All operations are serialised: no count overlaps with the start of a check.
 */
export function createClusterFetcher(deps: ClusterFetcherDeps): ClusterFetcher {
  const { epoch, crawlScopes, results, clock } = deps
  const underWay = createUnderWay()
  const turns = createTurns()
  /** The last check of each watch, started here or found at startup. */
  const rounds = new Map<number, number>()
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {})
  let listener: (results: readonly CheckResult[]) => void = () => {}
  let countAt = Number.NEGATIVE_INFINITY
  let throttled: { value: boolean; at: number } | null = null
  let isStopped = false
  let stopPolling: () => void = () => {}

  async function takeAll(): Promise<CheckResult[]> {
    const all: CheckResult[] = []
    for (;;) {
      const taken = await results.take(epoch, AT_ONCE)
      for (const each of taken) {
        underWay.hint(each.watch, each.queued)
        // The queue is counted, see above.
        all.push({ ...each, queued: 0 })
      }
      if (taken.length < AT_ONCE) return all
    }
  }

  async function count(watches: readonly number[]): Promise<Map<number, number>> {
    const before = clock.monotonic()
    const counts = await results.queued(watches)
    const now = clock.monotonic()
    if (watches.length === underWay.size()) countAt = now + Math.max(COUNT_EVERY_MS, (now - before) / COUNT_SHARE)
    return counts
  }

  async function poll(countsAll: boolean): Promise<void> {
    if (isStopped) return
    const found = await takeAll()
    const watches = countsAll || clock.monotonic() >= countAt ? underWay.all() : underWay.quiet()
    if (watches.length > 0) {
      const counts = await count(watches)
      found.push(...(await takeAll()))
      for (const watch of watches) found.push(...underWay.correct(watch, counts.get(watch) ?? 0))
    }
    if (found.length > 0) listener(found)
  }

  function pollSoon(): void {
    turns.once(() => poll(false).catch(failure.reject))
  }

  function startPolling(): void {
    const stopListening = deps.events.listen(RESULTS_CHANNEL, pollSoon)
    const everyMs = deps.pollEveryMs ?? POLL_EVERY_MS
    const timer = everyMs > 0 ? setInterval(pollSoon, everyMs).unref() : null
    stopPolling = () => {
      stopListening()
      if (timer !== null) clearInterval(timer)
    }
  }

  async function sendScopes(given: readonly CrawlScope[]): Promise<void> {
    await crawlScopes.put(
      epoch,
      given.map((crawlScope) => ({ round: rounds.get(crawlScope.watch) ?? 0, crawlScope })),
    )
  }

  /** Resumes the checks that were in progress when the last leader ended: their queued requests and reported progress. */
  async function resume(given: readonly CrawlScope[]): Promise<Map<number, number>> {
    const known = new Set(given.map(({ watch }) => watch))
    for (const { id, round } of await deps.watches.find([...known])) rounds.set(id, round)
    await sendScopes(given)
    const counts = await results.queued(null)
    await takeAll()
    // Including what was just taken.
    const progress = (await results.progress()).filter(({ watch }) => known.has(watch))
    await crawlScopes.forget(
      epoch,
      [...counts.keys()].filter((watch) => !known.has(watch)),
    )
    // A check with nothing queued is over, though its end wasn't recorded. One without progress never started.
    for (const { watch } of progress) if (!counts.has(watch)) counts.set(watch, 0)
    for (const [watch, n] of counts) underWay.add(watch, n)
    if (progress.length > 0) listener(progress.map((each) => ({ ...each, isSum: true as const })))
    return counts
  }

  async function check(orders: readonly CheckOrder[], onBegun: Parameters<Fetcher['check']>[1]): Promise<void> {
    for (const { check } of orders) rounds.set(check.watch, check.round)
    await sendScopes([...new Set(orders.map(({ crawlScope }) => crawlScope))])
    const { offers, failed } = deps.offersOf(orders)
    const counts = await deps.checks.offer(epoch, offers)
    const watches = new Set(orders.map(({ check }) => check.watch))
    // A write of the last leader may have arrived after this one counted: then nothing is accepted, but requests are queued.
    const unknown = [...watches].filter((watch) => !counts.has(watch) && !underWay.has(watch))
    if (unknown.length > 0) for (const [watch, n] of await results.queued(unknown)) counts.set(watch, n)
    for (const [watch, n] of counts) underWay.add(watch, n)
    if (failed.length > 0) listener(failed)
    for (const watch of watches) onBegun(watch, counts.get(watch) ?? 0)
  }

  return {
    schemes: deps.schemes,
    failed: failure.promise,
    start: (given) =>
      turns.take(async () => {
        const counts = await resume(given)
        startPolling()
        return counts
      }),
    check: (orders, onBegun) => turns.take(() => check(orders, onBegun)),
    crawlScope: (given) => turns.take(() => sendScopes(given)),
    forget: (watches) =>
      turns.take(async () => {
        await crawlScopes.forget(epoch, watches)
        for (const watch of watches) rounds.delete(watch)
      }),
    throttle(value) {
      const now = clock.monotonic()
      // Repeated now and then: an earlier leader may have written last.
      if (throttled?.value === value && now - throttled.at < THROTTLE_EVERY_MS) return
      throttled = { value, at: now }
      deps.nodes.hold(value).catch(() => {
        throttled = null
      })
    },
    onResults(given) {
      listener = given
    },
    poll: () => turns.take(() => poll(true)),
    async stop() {
      isStopped = true
      stopPolling()
      await turns.take(async () => {})
    },
  }
}

/** Runs work one at a time, in order. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  let isWanted = false

  function take<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  return {
    take,
    /** Queues the work, unless such work is already waiting. It must not reject. */
    once(work: () => Promise<void>): void {
      if (isWanted) return
      isWanted = true
      void take(() => {
        isWanted = false
        return work()
      })
    },
  }
}

/** Queued requests of a check: `known` to the listener, and a `guess` from the workers' reports. */
type QueuedCheck = { known: number; guess: number }

/** The checks in progress and their queued requests. */
function createUnderWay() {
  const checks = new Map<number, QueuedCheck>()

  return {
    /** Adds queued requests that the listener knows of. */
    add(watch: number, queued: number): void {
      const before = checks.get(watch)
      if (before === undefined) checks.set(watch, { known: queued, guess: queued })
      else {
        before.known += queued
        before.guess += queued
      }
    },
    has: (watch: number): boolean => checks.has(watch),
    hint(watch: number, queued: number): void {
      const check = checks.get(watch)
      if (check !== undefined) check.guess += queued
    },
    all: (): number[] => [...checks.keys()],
    /** Checks that may be over. */
    quiet: (): number[] => [...checks].flatMap(([watch, { guess }]) => (guess <= 0 ? [watch] : [])),
    /** Sets the exact count. Returns the difference from what the listener knows. A check with nothing queued is over. */
    correct(watch: number, queued: number): CheckResult[] {
      const check = checks.get(watch)
      if (check === undefined) return []
      const more = queued - check.known
      if (queued === 0) checks.delete(watch)
      else Object.assign(check, { known: queued, guess: queued })
      if (more === 0) return []
      return [{ watch, queued: more, changed: 0, unchanged: 0, failed: 0, source: null, landed: null }]
    },
    size: (): number => checks.size,
  }
}
