import type { CheckOrder, CheckResult, CrawlScope } from '../../core/check-order.ts'
import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { Offer } from '../../core/request.ts'
import type { CheckResultStore, CheckStore, ClusterEvents } from '../../store/contracts/cluster-events.ts'
import type { CrawlScopeStore } from '../../store/contracts/crawl-scopes.ts'
import type { NodeStore } from '../../store/contracts/nodes.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import type { AgentProxy } from '../fetcher.ts'
import { createTurns } from './turns.ts'
import { createUnderWay } from './under-way.ts'

export type StoreProxyDeps = {
  /** Of whoever leads the scheduler; what is written under one of the past is refused. */
  epoch: number
  crawlScopes: CrawlScopeStore
  checks: CheckStore
  results: CheckResultStore
  watches: Pick<WatchStore, 'find'>
  nodes: Pick<NodeStore, 'hold'>
  /** Requests that checks begin with, named as the workers name links. */
  offersOf(orders: readonly CheckOrder[]): Offer[]
  events: Pick<ClusterEvents, 'listen'>
  clock: Pick<Clock, 'monotonic'>
  /** How often it looks for news unasked; 0 for never, for tests. */
  pollEveryMs?: number
}

export type StoreProxy = AgentProxy & {
  /** Looks for news now, and counts what is queued of all checks under way. */
  look(): Promise<void>
}

const POLL_EVERY_MS = 1_000
const COUNT_EVERY_MS = 2_000
/** Counting may take no more than this part of the time. */
const COUNT_SHARE = 0.1
const HOLD_EVERY_MS = 5_000
const AT_ONCE = 1_000
const NEWS = 'news'

/**
 * An agent-proxy whose checks are carried out by whichever workers hold the partitions. Nothing is told to them but by the store:
 * first how far a watch goes, then the requests that a check begins with.
 *
 * A worker puts what a request came to among the news before the request leaves the queue. So what is queued is counted first and
 * the news are taken after that: when nothing was queued, all is known and the check is over. What workers say about the number of
 * requests is only a reason to count early, for one that dies says too little and the one that does its work again says it twice.
 * All checks under way are counted every two seconds, whatever was said.
 *
 * Everything here happens in turns: no count overlaps with the beginning of a check.
 */
export function createStoreProxy(deps: StoreProxyDeps): StoreProxy {
  const { epoch, crawlScopes, results, clock } = deps
  const underWay = createUnderWay()
  const turns = createTurns()
  /** The last round of each watch that was begun here or found at the start. */
  const rounds = new Map<number, number>()
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {})
  let listener: (results: readonly CheckResult[]) => void = () => {}
  let countAt = Number.NEGATIVE_INFINITY
  let held: { value: boolean; at: number } | null = null
  let isStopped = false
  let endWaiting: () => void = () => {}

  async function takeAll(): Promise<CheckResult[]> {
    const all: CheckResult[] = []
    for (;;) {
      const taken = await results.take(epoch, AT_ONCE)
      for (const each of taken) {
        underWay.hint(each.watch, each.queued)
        // What is queued is counted, see above.
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

  async function look(countsAll: boolean): Promise<void> {
    if (isStopped) return
    const told = await takeAll()
    const watches = countsAll || clock.monotonic() >= countAt ? underWay.all() : underWay.quiet()
    if (watches.length > 0) {
      const counts = await count(watches)
      told.push(...(await takeAll()))
      for (const watch of watches) told.push(...underWay.correct(watch, counts.get(watch) ?? 0))
    }
    if (told.length > 0) listener(told)
  }

  function lookSoon(): void {
    turns.once(() => look(false).catch(failure.reject))
  }

  function wait(): void {
    const stopListening = deps.events.listen(NEWS, lookSoon)
    const everyMs = deps.pollEveryMs ?? POLL_EVERY_MS
    const timer = everyMs > 0 ? setInterval(lookSoon, everyMs).unref() : null
    endWaiting = () => {
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

  /** What was under way when the last leader ended: what is queued, and what was told of it. */
  async function resume(given: readonly CrawlScope[]): Promise<Map<number, number>> {
    const known = new Set(given.map(({ watch }) => watch))
    for (const { id, round } of await deps.watches.find([...known])) rounds.set(id, round)
    await sendScopes(given)
    const counts = await results.queued(null)
    await takeAll()
    // With what was taken this moment.
    const progress = (await results.progress()).filter(({ watch }) => known.has(watch))
    await crawlScopes.forget(
      epoch,
      [...counts.keys()].filter((watch) => !known.has(watch)),
    )
    // Of one that has nothing queued any more the end was not noted. One of which nothing was told either never began.
    for (const { watch } of progress) if (!counts.has(watch)) counts.set(watch, 0)
    for (const [watch, n] of counts) underWay.add(watch, n)
    if (progress.length > 0) listener(progress)
    return counts
  }

  /** A source whose address nobody can fetch ends its check at once. */
  function offersOf(orders: readonly CheckOrder[]): { offers: Offer[]; failed: CheckResult[] } {
    const failed: CheckResult[] = []
    const offers = orders.flatMap((order) => {
      try {
        return deps.offersOf([order])
      } catch (error) {
        if (!isAppError(error, 'url-invalid') && !(error instanceof TypeError)) throw error
        const source = { status: 0, outcome: 'failed: url-invalid' }
        const { watch } = order.check
        failed.push({ watch, queued: 0, changed: 0, unchanged: 0, failed: 1, source, landed: null })
        return []
      }
    })
    return { offers, failed }
  }

  async function check(orders: readonly CheckOrder[]): Promise<Map<number, number>> {
    for (const { check } of orders) rounds.set(check.watch, check.round)
    await sendScopes(orders.map(({ crawlScope }) => crawlScope))
    const { offers, failed } = offersOf(orders)
    const counts = await deps.checks.offer(epoch, offers)
    for (const [watch, n] of counts) underWay.add(watch, n)
    if (failed.length > 0) listener(failed)
    return counts
  }

  return {
    protocols: ['http', 'https'],
    failed: failure.promise,
    start: (given) =>
      turns.take(async () => {
        const counts = await resume(given)
        wait()
        return counts
      }),
    check: (orders) => turns.take(() => check(orders)),
    crawlScope: (given) => turns.take(() => sendScopes(given)),
    forget: (watches) =>
      turns.take(async () => {
        await crawlScopes.forget(epoch, watches)
        for (const watch of watches) rounds.delete(watch)
      }),
    hold(value) {
      const now = clock.monotonic()
      // Said again now and then: whoever led before may have had the last word.
      if (held?.value === value && now - held.at < HOLD_EVERY_MS) return
      held = { value, at: now }
      deps.nodes.hold(value).catch(() => {
        held = null
      })
    },
    onResults(told) {
      listener = told
    },
    look: () => turns.take(() => look(true)),
    async stop() {
      isStopped = true
      endWaiting()
      await turns.take(async () => {})
    },
  }
}
