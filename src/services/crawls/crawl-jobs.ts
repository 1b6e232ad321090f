import type { Config } from '../../config/config.ts'
import { addedCounts, type CheckOrder, type CheckResult, type CrawlScope } from '../../core/check-order.ts'
import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { FIRST_CRAWL, UNLIMITED_DEPTH } from '../../core/request.ts'
import type { Fetcher } from '../../fetchers/fetcher.ts'
import type { CrawlProgress, CrawlRow, CrawlState, CrawlStore } from '../../store/contracts/crawls.ts'
import { askForConfigured, type ConfiguredSeeds } from './configured-crawl.ts'
import { checkCrawl } from './read-crawl.ts'

export type CrawlJobsDeps = {
  crawls: CrawlStore
  fetcher: Pick<Fetcher, 'check' | 'forget'>
  config: Pick<Config, 'crawl' | 'network'>
  clock: Clock
  /** Counts the pages of crawls over all shards of this process; omitted if workers count them in the store. */
  budgets?: { set(budget: number, pages: number): void } | undefined
  /** Seeds and depth of the configuration; omitted if there are none. */
  configured?: (() => Promise<ConfiguredSeeds>) | undefined
  onProblem(message: string, fields: Record<string, unknown>): void
}

/**
 * Crawls in the running service. They share everything with watches: a crawl is like one check of a watch without owners. So it waits
 * behind watches on the same host, its pages are stored, and the annotation engine is not involved.
 *
 * A crawl is waiting, running (in `jobs`), ending (no new fetches, those in flight still count) or over. All state that must survive
 * is in the store. Counts are saved every second. Later ones are lost with the process if its own shards report them; in a cluster the
 * store sums up the reports of workers, and the fetcher returns the sums at startup.
 */
export type CrawlJobs = {
  /** Continues the running crawls. Pass their scopes to the fetcher, and the number of requests it returns to `resume`. */
  start(): Promise<CrawlScope[]>
  resume(queued: ReadonlyMap<number, number>): Promise<void>
  note(result: CheckResult): void
  /** Starts, stops and ends crawls as needed. */
  tick(): Promise<void>
}

type Job = {
  row: CrawlRow
  crawlScope: CrawlScope
  budget: number
  queued: number
  counts: Record<string, number>
  /** The start order isn't acknowledged yet: until then it can't be over. */
  beginning: boolean
  ending: { state: CrawlState; left: number } | null
  /** Monotonic: when it last fetched or queued something. */
  busyAt: number
  savedAt: number
  isChanged: boolean
}

/** Also the number of budgets in use. */
const MAX_RUNNING = 4
const LOOK_EVERY_MS = 250
const SAVE_EVERY_MS = 1_000
/** Results of one shard may overtake those of another, so the queue must stay empty for this long. */
const QUIET_MS = 500
/** Pages taken by a lost worker never come back: after waiting this long, a crawl has reached its limit. */
const LOST_MS = 30_000

const watchOf = ({ id }: { id: number }): number => FIRST_CRAWL + id

export function createCrawlJobs(deps: CrawlJobsDeps): CrawlJobs {
  const { crawls, fetcher, clock } = deps
  const jobs = new Map<number, Job>()
  let lookAt = Number.NEGATIVE_INFINITY

  function enter(row: CrawlRow): Job {
    const used = new Set([...jobs.values()].map(({ budget }) => budget))
    const budget = Array.from({ length: MAX_RUNNING + 1 }, (_, at) => at).find((at) => !used.has(at))!
    const job: Job = {
      ...{ row, budget, crawlScope: scopeOf(row, budget), queued: 0 },
      ...{ counts: { ...row.counts }, beginning: true, ending: null, busyAt: clock.monotonic(), isChanged: true },
      savedAt: Number.NEGATIVE_INFINITY,
    }
    if (row.maxPages !== null) deps.budgets?.set(budget, Math.max(0, row.maxPages - (row.counts.fetched ?? 0)))
    jobs.set(watchOf(row), job)
    return job
  }

  /** Also for a crawl that continues: offering the same seeds again has no effect. */
  async function offer(job: Job): Promise<void> {
    await fetcher.check(ordersOf(job), (_, queued) => {
      job.queued += queued
      job.beginning = false
      job.busyAt = clock.monotonic()
    })
  }

  async function begin(row: CrawlRow): Promise<void> {
    try {
      checkCrawl(row, deps.config)
    } catch (error) {
      if (!isAppError(error)) throw error
      deps.onProblem('a crawl was refused', { crawl: row.id, error: error.message })
      return crawls.save([{ ...over(row, 'refused', 0), reason: error.message }])
    }
    const job = enter({ ...row, state: 'running', startedAt: clock.now() })
    await crawls.save([progressOf(job)])
    await offer(job)
  }

  function over(row: CrawlRow, state: CrawlState, queued: number): CrawlProgress {
    const { id, startedAt, counts, reason } = row
    return { id, state, startedAt, endedAt: Math.max(clock.now(), startedAt), queued, counts, reason }
  }

  /** Stops fetching. */
  async function cut(job: Job, state: CrawlState): Promise<void> {
    if (job.ending !== null) return
    job.ending = { state, left: Math.max(0, job.queued) }
    job.busyAt = clock.monotonic()
    await fetcher.forget([watchOf(job.row)])
  }

  async function look(): Promise<void> {
    if (clock.monotonic() < lookAt) return
    lookAt = clock.monotonic() + LOOK_EVERY_MS
    for (const row of await crawls.open()) {
      const job = jobs.get(watchOf(row))
      const isSpent = job !== undefined && row.pagesLeft === 0 && clock.monotonic() - job.busyAt >= LOST_MS
      if (row.stopAsked && job !== undefined) await cut(job, 'stopped')
      else if (isSpent) await cut(job, 'limit')
      else if (row.stopAsked) await crawls.save([over(row, 'stopped', row.queued)])
      else if (job === undefined && jobs.size < MAX_RUNNING) await begin(row)
    }
  }

  async function end(): Promise<void> {
    const now = clock.monotonic()
    const saved: CrawlProgress[] = []
    for (const [watch, job] of jobs) {
      const { row, queued, counts } = job
      if (job.beginning) continue
      if (queued > 0 && row.maxPages !== null && (counts.fetched ?? 0) >= row.maxPages) await cut(job, 'limit')
      const isOver = (queued === 0 || job.ending !== null) && now - job.busyAt >= QUIET_MS
      if (isOver) {
        const { state, left } = job.ending ?? { state: 'finished' as const, left: 0 }
        saved.push({ ...over({ ...row, counts }, state, left) })
        // Forget it before it counts as over, so that nothing left is fetched afterwards.
        if (job.ending === null) await fetcher.forget([watch])
        jobs.delete(watch)
      } else if (job.isChanged && now - job.savedAt >= SAVE_EVERY_MS) {
        job.savedAt = now
        job.isChanged = false
        saved.push(progressOf(job))
      }
    }
    await crawls.save(saved)
  }

  return {
    async start() {
      if (deps.configured !== undefined) await askForConfigured(deps, await deps.configured())
      for (const row of await crawls.open()) if (row.state === 'running') enter(row)
      return [...jobs.values()].map(({ crawlScope }) => crawlScope)
    },
    async resume(queued) {
      for (const [watch, job] of jobs) {
        job.queued += queued.get(watch) ?? 0
        await offer(job)
      }
    },
    note({ watch, queued, counts = {}, isSum = false }) {
      const job = jobs.get(watch)
      if (job === undefined) return
      job.counts = isSum ? furtherCounts(job.counts, counts) : addedCounts(job.counts, counts)
      job.queued += queued
      job.isChanged = true
      // While it is ending, requests leave the queue without being fetched.
      if (job.ending === null || counts.fetched !== undefined || counts.stored !== undefined)
        job.busyAt = clock.monotonic()
    },
    async tick() {
      await look()
      await end()
    },
  }
}

function progressOf({ row: { id, state, startedAt, reason }, queued, counts }: Job): CrawlProgress {
  return { id, state, startedAt, endedAt: 0, queued: Math.max(0, queued), counts, reason }
}

/** Merges two states of the same crawl by the maximum of each count: counts only grow, and each state may lag behind the other. */
function furtherCounts(saved: Readonly<Record<string, number>>, sums: Readonly<Record<string, number>>) {
  const counts = new Map(Object.entries(saved))
  for (const [name, n] of Object.entries(sums)) counts.set(name, Math.max(counts.get(name) ?? 0, n))
  return Object.fromEntries(counts)
}

function scopeOf(row: CrawlRow, budget: number): CrawlScope {
  const scope =
    row.restrict === null ? ({ kind: 'host' } as const) : ({ kind: 'pattern', source: row.restrict } as const)
  const sources = row.seeds.map((uri) => ({ uri, scope }))
  return { watch: watchOf(row), sources, ...(row.maxPages === null ? {} : { budget }) }
}

function ordersOf({ row, crawlScope }: Job): CheckOrder[] {
  // Pages whose content was garbage-collected are fetched again (`first`), and only pages fetched since the crawl began are fresh.
  const round = row.startedAt
  const check = { watch: watchOf(row), round, freshFrom: round, since: 0, first: true }
  return row.seeds.map((url) => ({ url, depth: row.depth ?? UNLIMITED_DEPTH, urgency: 0, check, crawlScope }))
}
