import type { CheckOrder, CrawlScope } from '../../core/check-order.ts'
import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { AgentProxy } from '../../fetchers/fetcher.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import type { Dispatch, Scheduler } from '../scheduler/scheduler.ts'
import { forwardTouched } from '../scheduler/urds/coalesce.ts'
import { createCheckRuns, type FinishedCheckRun } from './check-runs.ts'
import { createWatchedSources } from './watched-sources.ts'

export type WatchServiceDeps = {
  profiles: ProfileStore
  watches: WatchStore
  proxy: AgentProxy
  scheduler: Scheduler
  clock: Clock
  levelOf(owner: string): ServiceLevel
  /** Owners whose level is another one since the last call; left out where levels do not change. */
  changedLevels?(): Promise<string[]>
  /** Versions that wait for the annotation engine; from `maxTasks` on no check is begun and no request taken. */
  countTasks(): Promise<number>
  maxTasks: number
  /** Pages that one check may come to. */
  maxPages: number
  onProblem(message: string, fields: Record<string, unknown>): void
}

export type WatchService = {
  start(): Promise<void>
  /** Takes in what changed in the profile base, begins what is due, notes what is over. Returns when to come again (monotonic). */
  tick(): Promise<number>
  checkNow(watch: number): ReturnType<Scheduler['checkNow']>
  /** Told when there is something to do before the time that `tick` named. */
  onResults(listener: () => void): void
  /** Whether a check of it is under way. */
  isChecking(watch: number): boolean
  /** Told when a check begins, and when it is over and noted. */
  onCheck(listener: CheckListener): void
  /** Whose sources a watch is, paused ones too. */
  urdsOf(watch: number): { id: number; owner: string }[]
}

export type CheckListener = (watch: number, phase: 'begun' | 'ended') => void

const POLL_MS = 250
const MAX_AT_ONCE = 256
const MAX_STATES = 1000
/** What another watch checked within this share of the interval is fresh enough. */
const FRESH_SHARE = 0.1
const ASKED_URGENCY = 100

/**
 * From profiles to requests. Every source of every profile is a URD; URDs of the same source are one watch; the scheduler says
 * which watch is due; the proxy fetches it, with all that its owners' depths and scopes reach; when nothing is queued for
 * it any more, the check is over. Everything that must survive is in the stores: the service can end at any moment.
 */
export function createWatchService(deps: WatchServiceDeps): WatchService {
  const { watches, proxy, scheduler, clock } = deps
  const sources = createWatchedSources(deps)
  const { coalescer, rows, crawlScopeOf, unvisitedOf } = sources
  const rounds = createCheckRuns()
  /** Checks that have come to as many pages as one may have. */
  const full = new Set<number>()
  let lastRound = 0
  let stirred: () => void = () => {}
  let tellCheck: CheckListener = () => {}

  async function takeChanges(): Promise<void> {
    if (!(await sources.refresh())) return
    lastRound = Math.max(lastRound, sources.newestRound())
    await forwardChanges()
  }

  async function forwardChanges(): Promise<void> {
    const touched: CrawlScope[] = []
    const ended: number[] = []
    forwardTouched(coalescer, {
      set(watch) {
        scheduler.set(watch, sources.savedState(watch.id))
        if (rounds.has(watch.id) && !rounds.isFull(watch.id)) touched.push(crawlScopeOf(watch.id))
      },
      remove(id) {
        scheduler.remove(id)
        ended.push(id)
      },
    })
    if (touched.length > 0) await proxy.crawlScope(touched)
    if (ended.length > 0) await proxy.forget(ended)
    for (const watch of sources.takeJoined()) visitSoon(watch)
  }

  /** Who joins a source that others have had checked does not wait until it is due again. */
  function visitSoon(watch: number): void {
    const isWaiting = unvisitedOf(watch).length > 0 && (scheduler.snapshot(watch)?.lastAt ?? null) !== null
    if (isWaiting) scheduler.checkNow(watch)
  }

  function orderOf({ id, why }: Dispatch, round: number): CheckOrder | null {
    const watch = coalescer.watch(id)
    const row = rows.get(id)
    if (watch === undefined || row === undefined) return null
    const first = unvisitedOf(id).length > 0
    const freshFrom = why === 'asked' ? round : round - Math.floor(watch.everyMs * FRESH_SHARE)
    const urgency = why === 'asked' ? ASKED_URGENCY : Math.min(watch.urgency, ASKED_URGENCY)
    const check = { watch: id, round, freshFrom, since: row.finishedMark, first }
    return { url: row.uri, depth: watch.depth, urgency, check, crawlScope: crawlScopeOf(id) }
  }

  /** The wall clock, but never back: what was checked before must not look fresh for a day because the clock was set. */
  function nextRound(): number {
    lastRound = Math.max(clock.now(), lastRound + 1)
    return lastRound
  }

  /** False where the annotation engine must catch up first. */
  async function beginChecks(): Promise<boolean> {
    const isBehind = (await deps.countTasks()) >= deps.maxTasks
    proxy.hold(isBehind)
    if (isBehind) return false
    const due = scheduler.take(MAX_AT_ONCE)
    if (due.length === 0) return true
    const round = nextRound()
    const orders = due.flatMap((dispatch) => {
      const order = orderOf(dispatch, round)
      if (order === null) scheduler.done(dispatch.id, { changed: false, failed: true, at: round })
      return order ?? []
    })
    const mark = await watches.begin(orders.map(({ check }) => ({ watch: check.watch, round })))
    for (const { check } of orders) {
      rounds.begin(check.watch, mark, unvisitedOf(check.watch))
      tellCheck(check.watch, 'begun')
    }
    const queued = await proxy.check(orders)
    for (const { check } of orders) rounds.begun(check.watch, queued.get(check.watch) ?? 0)
    return true
  }

  /** What is queued is still fetched; no further link is followed in this check. */
  async function cutShort(): Promise<void> {
    if (full.size === 0) return
    const cut = [...full].filter((watch) => rounds.has(watch))
    full.clear()
    await proxy.crawlScope(cut.map((watch) => ({ watch, sources: [] })))
    for (const watch of cut) deps.onProblem('a check reached its page limit', { watch, uri: rows.get(watch)?.uri })
  }

  async function endChecks(): Promise<void> {
    // Not before it began, whatever the clock was set to: or it would look as if it were under way for ever.
    const finished = rounds.takeFinished(Math.max(clock.now(), lastRound))
    if (finished.length === 0) return
    await watches.finish(finished)
    for (const round of finished) report(round)
    const states = scheduler.takeUnsaved(MAX_STATES)
    await watches.saveStates(states.map((state) => ({ watch: state.id, state: JSON.stringify(state) })))
  }

  function report({ watch, mark, changed, failed, checkedAt, visited }: FinishedCheckRun): void {
    const row = rows.get(watch)
    // Of a check that another process began the mark is not known here; an older one only makes more be looked at.
    if (row !== undefined) Object.assign(row, { finishedMark: Math.max(mark, row.finishedMark), checkedAt })
    sources.noteVisited(visited)
    scheduler.done(watch, { changed, failed, at: checkedAt })
    // Somebody came while it was under way.
    if (sources.hasNewcomer(watch)) visitSoon(watch)
    tellCheck(watch, 'ended')
  }

  proxy.onResults((results) => {
    for (const each of results) {
      rounds.note(each)
      if (rounds.becomesFull(each.watch, deps.maxPages)) full.add(each.watch)
    }
    stirred()
  })

  return {
    async start() {
      await takeChanges()
      const underWay = [...rows.values()].filter(({ id, round, checkedAt }) => {
        return round > checkedAt && coalescer.watch(id) !== undefined
      })
      const queued = await proxy.start(underWay.map(({ id }) => crawlScopeOf(id)))
      for (const [watch, n] of queued) {
        rounds.resume(watch, n)
        scheduler.resume(watch)
      }
    },
    async tick() {
      await takeChanges()
      await cutShort()
      await endChecks()
      const begins = await beginChecks()
      await endChecks()
      const now = clock.monotonic()
      const dueAt = begins ? scheduler.nextDueAt() : undefined
      return Math.max(now, Math.min(dueAt ?? Number.POSITIVE_INFINITY, now + POLL_MS))
    },
    checkNow(watch) {
      const answer = scheduler.checkNow(watch)
      stirred()
      return answer
    },
    onResults(listener) {
      stirred = listener
    },
    isChecking: rounds.isUnderWay,
    onCheck(listener) {
      tellCheck = listener
    },
    urdsOf: sources.ownersOf,
  }
}
