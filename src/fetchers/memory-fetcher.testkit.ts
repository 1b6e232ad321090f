import type { CheckOrder, CheckResult, CrawlScope } from '../core/check-order.ts'
import type { Check } from '../core/request.ts'
import { coversPage } from '../services/scheduler/urds/coverage.ts'
import type { Fetcher } from './fetcher.ts'

export type MemoryPage = { words: string; links?: readonly string[]; fails?: boolean; redirect?: string }

type Queued = { url: string; hops: number; depth: number; check: Check }

/** State that outlives a fetcher: the pages on the web, their stored content, and the queue. */
export type MemoryWeb = {
  pages: Map<string, MemoryPage>
  kept: Map<string, string>
  queue: Queued[]
}

export function createMemoryWeb(pages: Record<string, MemoryPage> = {}): MemoryWeb {
  return { pages: new Map(Object.entries(pages)), kept: new Map(), queue: [] }
}

export type MemoryFetcher = Fetcher & {
  /** All orders, oldest first. */
  orders: CheckOrder[]
  /** URLs in the order they were fetched. */
  fetched: string[]
  readonly isThrottled: boolean
  crawlScopes: Map<number, CrawlScope>
  /** Fetches one page and reports it; false if nothing is queued, or it is throttled. */
  step(): boolean
  /** Fetches until nothing is queued. */
  run(): void
  /** Reports arbitrary results. */
  tell(results: readonly CheckResult[]): void
}

export type MemoryFetcherOptions = {
  /** Fetches everything before `onBegun`, so that results arrive first. */
  isHasty?: boolean
  schemes?: readonly string[]
}

/** A fetcher with a web in memory, which fetches when a test tells it to. */
export function createMemoryFetcher(
  web: MemoryWeb,
  { isHasty = false, schemes = ['http', 'https'] }: MemoryFetcherOptions = {},
): MemoryFetcher {
  const orders: CheckOrder[] = []
  const fetched: string[] = []
  const crawlScopes = new Map<number, CrawlScope>()
  let listener: (results: readonly CheckResult[]) => void = () => {}
  let isThrottled = false

  const resultsOf = (watch: number, parts: Partial<CheckResult>): CheckResult => {
    return { watch, queued: 0, changed: 0, unchanged: 0, failed: 0, source: null, landed: null, ...parts }
  }

  function covers(watch: number, url: string): boolean {
    const sources = crawlScopes.get(watch)?.sources ?? []
    return sources.some((source) => coversPage({ ...source, depth: Number.POSITIVE_INFINITY }, { url, hops: 1 }))
  }

  /** Links that the watch hasn't seen in this check. */
  function follow({ hops, depth, check }: Queued, page: MemoryPage): Queued[] {
    if (hops >= depth) return []
    return (page.links ?? [])
      .filter((url) => covers(check.watch, url) && !isMet(url, check))
      .map((url) => ({ url, hops: hops + 1, depth, check }))
  }

  const met = new Set<string>()
  function isMet(url: string, { watch, round }: Check): boolean {
    const name = `${watch} ${round} ${url}`
    const known = met.has(name)
    met.add(name)
    return known
  }

  function fetch(request: Queued): CheckResult {
    const { watch } = request.check
    fetched.push(request.url)
    const asked = web.pages.get(request.url)
    const landed = asked?.redirect ?? null
    const url = landed ?? request.url
    const page = landed === null ? asked : web.pages.get(landed)
    const hasFailed = page === undefined || page.fails === true
    const isChanged = !hasFailed && web.kept.get(url) !== page.words
    if (isChanged) web.kept.set(url, page.words)
    const found = hasFailed ? [] : follow(request, page)
    web.queue.push(...found)
    const outcome = hasFailed ? 'failed' : isChanged ? 'stored' : 'unchanged'
    const source = request.hops === 0 ? { status: hasFailed ? 500 : 200, outcome } : null
    const counts = { changed: isChanged ? 1 : 0, failed: hasFailed ? 1 : 0, unchanged: isChanged || hasFailed ? 0 : 1 }
    return resultsOf(watch, { ...counts, queued: found.length - 1, source, landed })
  }

  function step(): boolean {
    const request = isThrottled ? undefined : web.queue.shift()
    if (request === undefined) return false
    listener([crawlScopes.has(request.check.watch) ? fetch(request) : resultsOf(request.check.watch, { queued: -1 })])
    return true
  }

  function run(): void {
    while (step());
  }

  return {
    schemes,
    failed: new Promise<never>(() => {}),
    orders,
    fetched,
    crawlScopes,
    get isThrottled() {
      return isThrottled
    },
    step,
    run,
    tell: (results) => listener(results),
    async start(underWay) {
      for (const crawlScope of underWay) crawlScopes.set(crawlScope.watch, crawlScope)
      const counts = new Map<number, number>()
      for (const { check } of web.queue) counts.set(check.watch, (counts.get(check.watch) ?? 0) + 1)
      if (isHasty) run()
      return counts
    },
    async check(given, onBegun) {
      const counts = new Map<number, number>()
      for (const order of given) {
        const { url, depth, check, crawlScope } = order
        orders.push(order)
        crawlScopes.set(crawlScope.watch, crawlScope)
        isMet(url, check)
        web.queue.push({ url, hops: 0, depth, check })
        counts.set(check.watch, 1)
      }
      if (isHasty) run()
      for (const [watch, queued] of counts) onBegun(watch, queued)
    },
    async crawlScope(given) {
      for (const crawlScope of given) crawlScopes.set(crawlScope.watch, crawlScope)
    },
    async forget(watches) {
      for (const watch of watches) crawlScopes.delete(watch)
    },
    throttle(throttled) {
      isThrottled = throttled
    },
    onResults(given) {
      listener = given
    },
    async stop() {},
  }
}
