import type { ErrandOrder, WatchNews, WatchReach } from '../core/check-order.ts'
import type { Errand } from '../core/request.ts'
import { coversPage } from '../services/scheduler/coverage.ts'
import type { AgentProxy } from './fetcher.ts'

export type MemoryPage = { words: string; links?: readonly string[]; fails?: boolean; redirect?: string }

type Queued = { url: string; hops: number; depth: number; errand: Errand }

/** What outlives a proxy: pages as they are out there, what is kept of them, and what is queued. */
export type MemoryWeb = {
  pages: Map<string, MemoryPage>
  kept: Map<string, string>
  queue: Queued[]
}

export function createMemoryWeb(pages: Record<string, MemoryPage> = {}): MemoryWeb {
  return { pages: new Map(Object.entries(pages)), kept: new Map(), queue: [] }
}

export type MemoryProxy = AgentProxy & {
  /** All orders, oldest first. */
  orders: ErrandOrder[]
  /** URLs as they were fetched. */
  fetched: string[]
  readonly isHeld: boolean
  reaches: Map<number, WatchReach>
  /** Fetches one page and tells of it; false where nothing is queued, or where it is held. */
  step(): boolean
  /** Fetches until nothing is queued. */
  run(): void
  /** Tells what it was not asked for. */
  tell(news: readonly WatchNews[]): void
}

export type MemoryProxyOptions = {
  /** Fetches all before the answer to the order is given: news then come before it. */
  isHasty?: boolean
}

/** An agent-proxy whose web is in memory and which fetches when it is told to. */
export function createMemoryProxy(web: MemoryWeb, { isHasty = false }: MemoryProxyOptions = {}): MemoryProxy {
  const orders: ErrandOrder[] = []
  const fetched: string[] = []
  const reaches = new Map<number, WatchReach>()
  let listener: (news: readonly WatchNews[]) => void = () => {}
  let isHeld = false

  const newsOf = (watch: number, parts: Partial<WatchNews>): WatchNews => {
    return { watch, queued: 0, changed: 0, unchanged: 0, failed: 0, source: null, landed: null, ...parts }
  }

  function covers(watch: number, url: string): boolean {
    const sources = reaches.get(watch)?.sources ?? []
    return sources.some((source) => coversPage({ ...source, depth: Number.POSITIVE_INFINITY }, { url, hops: 1 }))
  }

  /** Links that the watch has not come to in this check. */
  function follow({ hops, depth, errand }: Queued, page: MemoryPage): Queued[] {
    if (hops >= depth) return []
    return (page.links ?? [])
      .filter((url) => covers(errand.watch, url) && !isMet(url, errand))
      .map((url) => ({ url, hops: hops + 1, depth, errand }))
  }

  const met = new Set<string>()
  function isMet(url: string, { watch, round }: Errand): boolean {
    const name = `${watch} ${round} ${url}`
    const known = met.has(name)
    met.add(name)
    return known
  }

  function fetch(request: Queued): WatchNews {
    const { watch } = request.errand
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
    return newsOf(watch, { ...counts, queued: found.length - 1, source, landed })
  }

  function step(): boolean {
    const request = isHeld ? undefined : web.queue.shift()
    if (request === undefined) return false
    listener([reaches.has(request.errand.watch) ? fetch(request) : newsOf(request.errand.watch, { queued: -1 })])
    return true
  }

  function run(): void {
    while (step());
  }

  return {
    protocols: ['http', 'https'],
    failed: new Promise<never>(() => {}),
    orders,
    fetched,
    reaches,
    get isHeld() {
      return isHeld
    },
    step,
    run,
    tell: (news) => listener(news),
    async start(underWay) {
      for (const reach of underWay) reaches.set(reach.watch, reach)
      const counts = new Map<number, number>()
      for (const { errand } of web.queue) counts.set(errand.watch, (counts.get(errand.watch) ?? 0) + 1)
      if (isHasty) run()
      return counts
    },
    async check(given) {
      const counts = new Map<number, number>()
      for (const order of given) {
        const { url, depth, errand, reach } = order
        orders.push(order)
        reaches.set(reach.watch, reach)
        isMet(url, errand)
        web.queue.push({ url, hops: 0, depth, errand })
        counts.set(errand.watch, 1)
      }
      if (isHasty) run()
      return counts
    },
    async reach(given) {
      for (const reach of given) reaches.set(reach.watch, reach)
    },
    async forget(watches) {
      for (const watch of watches) reaches.delete(watch)
    },
    hold(held) {
      isHeld = held
    },
    onNews(told) {
      listener = told
    },
    async stop() {},
  }
}
