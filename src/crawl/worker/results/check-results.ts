import type { CheckResult, CrawlScope, SourceHints } from '../../../core/check-order.ts'
import { parseHttpDate } from '../../../core/http/http-date.ts'
import type { Aspect } from '../../../core/profile.ts'
import { type Check, isCrawl, type QueuedRequest } from '../../../core/request.ts'
import { hostKey } from '../../../core/url/partition.ts'
import {
  createOwnerBudgets,
  createWorkBudget,
  isSpent,
  type OwnerBudgets,
  type WorkBudget,
} from '../../../core/work/work-budget.ts'
import type { Capture, CaptureOutcome } from '../../../store/contracts/documents.ts'
import { createScope } from '../../filter/scope.ts'
import type { UrlFilter } from '../../filter/url-filter.ts'
import type { Failure, Finished } from './batch.ts'

type Watch = {
  crawlScope: CrawlScope
  filters: ScopeFilter[]
  takesHostAlong: boolean
  /** Remaining expression budget of each owner, for the check met last. */
  budgets: { round: number; of: OwnerBudgets }
}

/** `owner` and `expression` are empty for scopes without an expression, which cost nothing. */
type ScopeFilter = { filter: UrlFilter; owner: string; expression: string }

/**
 * Maximum number of steps for matching the links of one page against all expressions of one owner: about half a second. And ten
 * times that for all pages of a check.
 */
const usualWork = { page: 30_000_000, check: 300_000_000 }

/** The work of matching the links of one page. */
export type PageWork = {
  readonly watch: number
  readonly url: string
  /** Owner whose turns this work uses. */
  readonly party: string
  /** Steps taken so far. */
  spent: number
  budgetOf: OwnerBudgets
}

const unlimited: WorkBudget = { left: Number.POSITIVE_INFINITY }

/**
 * The watches whose requests this shard may meet, and the results of their checks. Every shard learns of a watch before its first request is
 * offered, and when it ends; requests of an unknown watch are dropped.
 */
export type Watches = ReturnType<typeof createWatches>

export function createWatches(limits = usualWork) {
  const known = new Map<number, Watch>()
  let results = new Map<number, CheckResult>()

  function budgetsOf(round: number): Watch['budgets'] {
    return { round, of: createOwnerBudgets(() => createWorkBudget(limits.check)) }
  }

  function resultsOf(watch: number): CheckResult {
    const before = results.get(watch)
    if (before !== undefined) return before
    const fresh: CheckResult = { watch, queued: 0, changed: 0, unchanged: 0, failed: 0, source: null, landed: null }
    results.set(watch, fresh)
    return fresh
  }

  function accepts(watch: Watch, { filter, owner, expression }: ScopeFilter, url: string, work: PageWork): boolean {
    if (expression === '') return filter.accepts(url)
    const budget = work.budgetOf(owner)
    const before = budget.left
    const isAccepted = !isSpent(budget) && filter.accepts(url, budget)
    const spent = before - budget.left
    work.spent += spent
    watch.budgets.of(owner).left -= spent
    if (isSpent(budget)) setAside(watch, expression, work)
    return isAccepted
  }

  /** Disables an expression that is too expensive and reports it to its owners; other expressions stay in use. */
  function setAside(watch: Watch, expression: string, { url }: PageWork): void {
    watch.filters = watch.filters.filter((each) => each.expression !== expression)
    const results = resultsOf(watch.crawlScope.watch)
    results.tooExpensive ??= []
    results.tooExpensive.push({ expression, url })
  }

  return {
    set(crawlScope: CrawlScope): void {
      // Sources with the same scope share a filter: a crawl may have thousands of seeds.
      const filters = [...Map.groupBy(crawlScope.sources, ({ scope }) => JSON.stringify(scope)).values()].map(
        (alike): ScopeFilter => {
          const { scope, owner = '' } = alike[0]!
          const seeds = alike.map(({ uri }) => uri)
          if (scope.kind !== 'pattern')
            return { filter: createScope({ seeds, kind: scope.kind }), owner: '', expression: '' }
          return { filter: createScope({ seeds, restrict: scope.source }), owner, expression: scope.source }
        },
      )
      const takesHostAlong = crawlScope.sources.some(({ scope }) => scope.kind === 'host' || scope.kind === 'domain')
      known.set(crawlScope.watch, { crawlScope, filters, takesHostAlong, budgets: budgetsOf(0) })
    },
    remove: (watch: number): void => void known.delete(watch),
    has: (watch: number): boolean => known.has(watch),
    /** Budget for the links of one page. A crawl is requested by an administrator: its work is sliced, but not limited. */
    workOf({ watch, round }: Check, url: string): PageWork {
      const found = known.get(watch)
      const party = found?.filters.find(({ expression }) => expression !== '')?.owner ?? ''
      if (found === undefined || isCrawl(watch)) return { watch, url, party, spent: 0, budgetOf: () => unlimited }
      if (found.budgets.round !== round) found.budgets = budgetsOf(round)
      const ofCheck = found.budgets.of
      const budgetOf = createOwnerBudgets((owner) => createWorkBudget(Math.min(limits.page, ofCheck(owner).left)))
      return { watch, url, party, spent: 0, budgetOf }
    },
    /** Whether a link of a page on `pageHost` belongs to the watch. */
    covers(work: PageWork, url: string, pageHost: string): boolean {
      const found = known.get(work.watch)
      if (found === undefined) return false
      if (found.filters.some((each) => accepts(found, each, url, work))) return true
      // A source that redirects extends the scope of its watch: the host of a fetched page is in scope too.
      return found.takesHostAlong && hostKey(url) === pageHost
    },
    resultsOf,
    /** Index of the page budget of a crawl; undefined if its pages are not limited. */
    budgetOf: (watch: number): number | undefined => known.get(watch)?.crawlScope.budget,
    paceOf: (watch: number): number => known.get(watch)?.crawlScope.pace ?? 0,
    /** Aspects that make a new version of a page, in addition to text and links. */
    aspectsOf: (watch: number): readonly Aspect[] => known.get(watch)?.crawlScope.aspects ?? [],
    /** Counts the outcomes of requests for a crawl of the service; ignores watches. */
    count(watch: number, name: string, n = 1): void {
      if (!isCrawl(watch) || n === 0) return
      const results = resultsOf(watch)
      results.counts ??= {}
      results.counts[name] = (results.counts[name] ?? 0) + n
    },
    /** Adds the result of a check that ended without a request. */
    addResult({ watch, failed, source }: CheckResult): void {
      const results = resultsOf(watch)
      results.failed += failed
      results.source = source
    },
    addQueued(counts: ReadonlyMap<number, number>): void {
      for (const [watch, n] of counts) resultsOf(watch).queued += n
    },
    /** All results since the last call. */
    takeResults(): CheckResult[] {
      if (results.size === 0) return []
      const taken = [...results.values()]
      results = new Map()
      return taken
    },
  }
}

/**
 * Notes the result of a finished request for its watch. The outcome of the source itself is one of a fixed set of words: `stored`,
 * `duplicate`, `gone`, `unchanged` or `redirect`, `failed: CODE` with a code of `errors.ts`, or `skipped: REASON`.
 */
export function noteResult(watches: Watches, finished: Finished, outcome: CaptureOutcome | null): void {
  const { request, capture, skipped } = finished
  const results = watches.resultsOf(request.check.watch)
  watches.count(request.check.watch, 'done')
  const failure = failureOf(finished, outcome)
  // A list isn't news by itself: its items are.
  const isList = capture?.silent === true && outcome?.kind !== 'gone'
  const kind = failure !== null ? 'failed' : isList ? 'unchanged' : outcomeOf(capture, outcome)
  if (kind === 'stored' || kind === 'duplicate' || kind === 'gone') results.changed++
  else if (kind === 'failed') results.failed++
  else if (capture?.kind !== 'met') results.unchanged++
  if (request.hops > 0) return
  if (failure !== null) results.source = failedSource(failure)
  else if (isList && capture !== null)
    results.source = { status: capture.status, outcome: results.changed > 0 ? 'stored' : 'unchanged' }
  else if (capture?.kind === 'gone' && capture.outcome === 'redirect') {
    results.landed = capture.location
    // Its target is not fetched, so this is the final result.
    if (skipped !== undefined) results.source = { status: capture.status, outcome: `skipped: ${skipped}` }
  } else if (capture !== null)
    results.source = {
      ...{ status: capture.status, outcome: skipped === undefined ? kind : `skipped: ${skipped}` },
      ...(capture.kind === 'body' && capture.schedule !== undefined && { schedule: capture.schedule }),
      ...(capture.kind === 'body' && { hints: hintsOf(capture) }),
    }
}

function hintsOf({ at, lastModified, freshUntil, dates }: Extract<Capture, { kind: 'body' }>): SourceHints {
  const modifiedAt = lastModified === '' ? null : parseHttpDate(lastModified)
  return {
    ...(modifiedAt !== null && { modifiedAt }),
    ...(freshUntil > at && { freshForMs: freshUntil - at }),
    ...(dates !== undefined && dates.length > 0 && { dates }),
  }
}

/** Notes the results of the documents that came with a request. */
export function notePartResults(
  watches: Watches,
  { request, parts = [] }: Finished,
  outcomes: readonly CaptureOutcome[],
): void {
  const results = watches.resultsOf(request.check.watch)
  for (const [at, capture] of parts.entries()) {
    const kind = outcomeOf(capture, outcomes[at]!)
    if (kind === 'stored' || kind === 'duplicate' || kind === 'gone') {
      if (capture.silent !== true) results.changed++
    } else if (kind === 'failed') results.failed++
    else if (capture.kind !== 'met') results.unchanged++
  }
}

/** Notes that a host was given up when this request failed: the watches in `queued` lost their requests there. */
export function noteGivenUp(
  watches: Watches,
  queued: ReadonlyMap<number, number>,
  { check, hops }: QueuedRequest,
  failure: Failure | undefined,
): void {
  watches.addQueued(queued)
  for (const [watch, n] of queued) {
    watches.resultsOf(watch).failed++
    watches.count(watch, 'failed', -n)
    watches.count(watch, 'done', -n)
  }
  // Noted here, since the check may be over before the request itself is committed.
  if (hops === 0 && failure !== undefined && queued.has(check.watch))
    watches.resultsOf(check.watch).source = failedSource(failure)
}

/** Like `noteGivenUp`, but returns the results, for a store that publishes them itself. */
export function resultsOfGivenUp(
  queued: ReadonlyMap<number, number>,
  request: QueuedRequest,
  failure: Failure | undefined,
): CheckResult[] {
  const watches = createWatches()
  noteGivenUp(watches, queued, request, failure)
  return watches.takeResults()
}

function failedSource({ code, status }: Failure): CheckResult['source'] {
  return { status, outcome: `failed: ${code}` }
}

function failureOf({ capture, failure }: Finished, outcome: CaptureOutcome | null): Failure | null {
  // A page that is gone is a change, not a failure.
  if (outcome?.kind === 'gone') return null
  if (failure !== undefined) return failure
  if (capture === null) return null
  const { status } = capture
  if (outcome?.kind === 'incomplete') return { code: 'body-short', status }
  // `met`: another watch fetched it a moment ago, and its status counts here too.
  if (capture.kind !== 'met' || outcome?.kind !== 'noted') return null
  if (status === 206) return { code: 'http-incomplete', status }
  if (status < 400) return null
  return { code: status < 500 ? 'http-client-error' : 'http-server-error', status }
}

function outcomeOf(capture: Finished['capture'], outcome: CaptureOutcome | null): string {
  // A change of links alone isn't news.
  if (capture === null || outcome === null || outcome.kind === 'relinked') return 'unchanged'
  if (outcome.kind !== 'noted') return outcome.kind
  return capture.kind === 'note' || capture.kind === 'gone' ? capture.outcome : 'unchanged'
}
