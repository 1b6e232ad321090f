import type { CheckOrder, CrawlScope } from '../../core/check-order.ts'
import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { isCrawl } from '../../core/request.ts'
import type { Fetcher } from '../../fetchers/fetcher.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import type { CrawlJobs } from '../crawls/crawl-jobs.ts'
import type { Dispatch, Scheduler } from '../scheduler/scheduler.ts'
import { createCheckRuns, type FinishedCheckRun } from './check-runs.ts'
import { createListening, type ListenTo } from './listening.ts'
import { createWatchedSources } from './watched-sources.ts'

export type WatchServiceDeps = {
  profiles: ProfileStore
  watches: WatchStore
  fetcher: Fetcher
  /** Crawls that share the fetcher; omitted if there are none. */
  crawls?: CrawlJobs
  scheduler: Scheduler
  clock: Clock
  levelOf(owner: string): ServiceLevel
  /** Owners whose level changed since the last call; omitted if levels do not change. */
  changedLevels?(): Promise<string[]>
  /** Versions waiting for the annotation engine; from `maxTasks` on no check and no request is started. */
  countTasks(): Promise<number>
  maxTasks: number
  /** Maximum number of pages per check. */
  maxPages: number
  /** Omitted if no source can push. */
  listenTo?: ListenTo | undefined
  onProblem(message: string, fields: Record<string, unknown>): void
}

export type WatchService = {
  start(): Promise<void>
  /** Reads changes of the profile base, starts due checks, and records finished ones. Returns when to call it again (monotonic). */
  tick(): Promise<number>
  checkNow(watch: number): ReturnType<Scheduler['checkNow']>
  /** The listener is called when there is work before the time returned by `tick`. */
  onResults(listener: () => void): void
  /** Whether a check of it is in progress. */
  isChecking(watch: number): boolean
  /** The listener is called when a check starts, and when it is over and recorded. */
  onCheck(listener: CheckListener): void
  /** The URDs of a watch with their owners, paused ones included. */
  urdsOf(watch: number): { id: number; owner: string }[]
  /** Stops listening to all sources. */
  stopListening(): Promise<void>
}

export type CheckListener = (watch: number, phase: 'begun' | 'ended') => void

const POLL_MS = 250
const MAX_AT_ONCE = 256
const MAX_STATES = 1000
/** A page that another watch checked within this fraction of the interval isn't fetched again. */
const FRESH_SHARE = 0.1
const ASKED_URGENCY = 100

/**
 * Turns profiles into requests. Every source of every profile is a URD; URDs of the same source form one watch; the scheduler says
 * which watch is due; the fetcher fetches it, with everything within its owners' depths and scopes; when none of its requests is queued,
 * the check is over. All state that must survive is in the stores: the service can end at any moment.
 */
export function createWatchService(deps: WatchServiceDeps): WatchService {
  const { watches, fetcher, scheduler, clock } = deps
  const sources = createWatchedSources({ ...deps, schemes: fetcher.schemes })
  const { coalescer, rows, crawlScopeOf, unvisitedOf } = sources
  const checkRuns = createCheckRuns()
  /** Checks that have reached the page limit. */
  const full = new Set<number>()
  /** Watches whose next or current check only shows new owners what the last one found. */
  const visits = new Set<number>()
  /** Expressions that took too much work, not yet reported to their owners. */
  let expensive: { watch: number; expression: string; url: string }[] = []
  let lastRound = 0
  let notifyResults: () => void = () => {}
  let notifyCheck: CheckListener = () => {}

  function checkNow(watch: number): ReturnType<Scheduler['checkNow']> {
    visits.delete(watch)
    const answer = scheduler.checkNow(watch)
    notifyResults()
    return answer
  }

  const listening =
    deps.listenTo === undefined
      ? null
      : createListening({ listenTo: deps.listenTo, checkNow, clock, onProblem: deps.onProblem })

  async function takeChanges(): Promise<void> {
    if ((await sources.refresh()) !== null) await forwardChanges()
  }

  async function forwardChanges(): Promise<void> {
    const touched: CrawlScope[] = []
    const ended: number[] = []
    sources.forward({
      set(watch) {
        scheduler.set(watch, sources.savedState(watch.id))
        listening?.set(watch.id, sources.listenedUri(watch.id))
        if (checkRuns.has(watch.id) && !checkRuns.isFull(watch.id)) touched.push(scopeOf(watch.id))
      },
      remove(id) {
        scheduler.remove(id)
        visits.delete(id)
        listening?.set(id, null)
        ended.push(id)
      },
    })
    if (touched.length > 0) await fetcher.crawlScope(touched)
    if (ended.length > 0) await fetcher.forget(ended)
    for (const watch of sources.takeJoined()) visitSoon(watch)
  }

  /**
   * A new owner of a known source doesn't wait until it is due again. If it was checked within the interval, nothing is fetched: the new
   * owner is shown what is kept. A source that can't be fetched is tried at its usual times.
   */
  function visitSoon(watch: number): void {
    if (/^(?:failed|skipped)/.test(rows.get(watch)?.outcome ?? '')) return
    const { lastAt = null, intervalMs = 0, state } = scheduler.snapshot(watch) ?? {}
    if (!isFirst(watch) || lastAt === null) return
    const isFresh = clock.now() - lastAt < intervalMs
    if (isFresh && state !== 'asked' && state !== 'out') visits.add(watch)
    scheduler.checkNow(watch)
  }

  /** Whether the next check is the first for one of its owners, or for selectors not tried on a page yet. */
  function isFirst(watch: number): boolean {
    return unvisitedOf(watch).length > 0 || sources.hasUnselected(watch)
  }

  function scopeOf(watch: number): CrawlScope {
    const pace = scheduler.pace(watch)
    return { ...crawlScopeOf(watch), ...(pace > 0 && { pace }) }
  }

  function orderOf({ id, why }: Dispatch, round: number): CheckOrder | null {
    const watch = coalescer.watch(id)
    const row = rows.get(id)
    if (watch === undefined || row === undefined) return null
    const first = isFirst(id)
    const recently = why === 'asked' ? round : round - Math.floor(watch.everyMs * FRESH_SHARE)
    const freshFrom = visits.has(id) ? round - Math.floor(scheduler.snapshot(id)?.intervalMs ?? 0) : recently
    const urgency = why === 'asked' ? ASKED_URGENCY : Math.min(watch.urgency, ASKED_URGENCY)
    const check = { watch: id, round, freshFrom, since: row.finishedMark, first }
    return { url: row.uri, depth: watch.depth, urgency, check, crawlScope: scopeOf(id) }
  }

  /** The wall clock, made monotonic: a clock set back must not make earlier checks look fresh. */
  function nextRound(): number {
    lastRound = Math.max(clock.now(), lastRound + 1)
    return lastRound
  }

  /** Returns false while the annotation engine has to catch up. */
  async function beginChecks(): Promise<boolean> {
    const isBehind = (await deps.countTasks()) >= deps.maxTasks
    fetcher.throttle(isBehind)
    if (isBehind) return false
    const due = scheduler.take(MAX_AT_ONCE)
    if (due.length === 0) return true
    const round = nextRound()
    const orders = due.flatMap((dispatch) => {
      const order = orderOf(dispatch, round)
      if (order === null) scheduler.done(dispatch.id, { changed: false, failed: true, at: round })
      return order ?? []
    })
    const begun = orders.map(({ check: { watch } }) => ({ watch, round, visits: unvisitedOf(watch) }))
    const mark = await watches.begin(begun)
    for (const { watch, visits } of begun) {
      checkRuns.begin(watch, mark, visits)
      notifyCheck(watch, 'begun')
    }
    await fetcher.check(orders, (watch, queued) => {
      checkRuns.begun(watch, queued)
      // Its results may have arrived already.
      notifyResults()
    })
    return true
  }

  /** Queued requests are still fetched, but no more links are followed in this check. */
  async function cutShort(): Promise<void> {
    if (full.size === 0) return
    const cut = [...full].filter((watch) => checkRuns.has(watch))
    full.clear()
    await fetcher.crawlScope(cut.map((watch) => ({ watch, sources: [] })))
    for (const watch of cut) deps.onProblem('a check reached its page limit', { watch, uri: rows.get(watch)?.uri })
  }

  async function setAside(): Promise<void> {
    const taken = expensive
    expensive = []
    for (const { watch, expression, url } of taken) {
      const urds = sources.withExpression(watch, expression)
      await deps.profiles.setUrds(urds, { aside: 'scope', asideUrl: url })
      deps.onProblem('the scope of a source takes too much work and was set aside', { watch, url, expression })
    }
  }

  /** A check that only showed new owners what is kept leaves the outcome of the source unchanged. */
  function asVisit(run: FinishedCheckRun): FinishedCheckRun {
    const row = rows.get(run.watch)
    if (row === undefined || !visits.has(run.watch) || run.requests > 0) return run
    return { ...run, outcome: row.outcome, status: row.status, isVisit: true }
  }

  async function endChecks(): Promise<void> {
    // Never before its start, even if the clock was set back: the check would look as if it were in progress forever.
    const finished = checkRuns.takeFinished(Math.max(clock.now(), lastRound)).map(asVisit)
    if (finished.length === 0) return
    await watches.finish(finished)
    for (const run of finished) report(run)
    const states = scheduler.takeUnsaved(MAX_STATES)
    await watches.saveStates(states.map((state) => ({ watch: state.id, state: JSON.stringify(state) })))
  }

  function report(finished: FinishedCheckRun): void {
    const { watch, mark, changed, failed, checkedAt, outcome, visited, tried, schedule, hints, requests } = finished
    const row = rows.get(watch)
    if (row !== undefined) Object.assign(row, { finishedMark: Math.max(mark, row.finishedMark), checkedAt, outcome })
    sources.noteVisited(visited)
    scheduler.done(watch, {
      changed,
      failed,
      at: checkedAt,
      schedule,
      hints,
      requests,
      isVisit: finished.isVisit === true,
    })
    visits.delete(watch)
    // A new owner joined while the check was in progress.
    if (sources.hasNewcomer(watch, tried)) visitSoon(watch)
    listening?.checked(watch)
    notifyCheck(watch, 'ended')
  }

  fetcher.onResults((results) => {
    for (const each of results) {
      if (isCrawl(each.watch)) {
        deps.crawls?.note(each)
        continue
      }
      checkRuns.note(each)
      for (const found of each.tooExpensive ?? []) expensive.push({ watch: each.watch, ...found })
      if (checkRuns.becomesFull(each.watch, deps.maxPages)) full.add(each.watch)
    }
    notifyResults()
  })

  return {
    async start() {
      lastRound = await watches.newestRound()
      await takeChanges()
      const underWay = [...rows.values()].filter(({ id, round, checkedAt }) => {
        return round > checkedAt && coalescer.watch(id) !== undefined
      })
      const crawlScopes = (await deps.crawls?.start()) ?? []
      const queued = await fetcher.start([...underWay.map(({ id }) => crawlScopeOf(id)), ...crawlScopes])
      await deps.crawls?.resume(queued)
      for (const [watch, n] of queued) {
        if (isCrawl(watch)) continue
        const { mark, visits } = rows.get(watch) ?? { mark: 0, visits: [] }
        checkRuns.resume(watch, n, mark, visits)
        scheduler.resume(watch)
      }
    },
    async tick() {
      await setAside()
      await takeChanges()
      listening?.tick()
      await cutShort()
      await endChecks()
      await deps.crawls?.tick()
      const begins = await beginChecks()
      await endChecks()
      const now = clock.monotonic()
      const dueAt = begins ? scheduler.nextDueAt() : undefined
      return Math.max(now, Math.min(dueAt ?? Number.POSITIVE_INFINITY, now + POLL_MS))
    },
    checkNow,
    onResults(listener) {
      notifyResults = listener
    },
    isChecking: checkRuns.isUnderWay,
    onCheck(listener) {
      notifyCheck = listener
    },
    urdsOf: sources.ownersOf,
    stopListening: async () => listening?.close(),
  }
}
