import type { Clock } from '../../core/clock.ts'
import type { SkipReason } from '../../core/reports/crawl-report.ts'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import { originOf } from '../../core/url/url.ts'
import type { Capture, KnownDocument } from '../../store/contracts/documents.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import type { FetchResult } from '../fetch/fetch-result.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import type { HostSignal } from '../frontier/politeness.ts'
import type { LinkPipe } from '../worker/links/link-pipe.ts'
import { signalOf } from '../worker/visit/answer-signal.ts'
import type { ReadOptions } from '../worker/visit/read-response.ts'
import type { RobotsGate } from '../worker/visit/robots-gate.ts'
import type { VisitResult } from '../worker/visit/visit-result.ts'
import { createFetchTable } from './fetch-table.ts'
import { createHostTables } from './host-tables.ts'
import { createLinkTables } from './tol-visit.ts'
import { createVolatileTables } from './tvi-visit.ts'

/** The tables of the pages that a shard visits, in the order of a visit. */
export type PageTables = {
  /** Uses the page's turn for a table instead of the page; null to fetch the page. `known`: null if the whole page is needed. */
  before(request: QueuedRequest, known: KnownDocument | null, hostQueue: HostQueue): Promise<VisitResult | null> | null
  /** Called when the page is about to be fetched. */
  beside(request: QueuedRequest, hostQueue: HostQueue): void
  pageCame(request: QueuedRequest): Promise<void> | null
  /** Whether the links of the page are to be compared with a table. */
  has(request: QueuedRequest): boolean
  compare(request: QueuedRequest, capture: Capture | null): void
}

export type PageTablesDeps = {
  store: Pick<FrontierStore, 'loadTables' | 'saveTables'>
  fetcher: Pick<Fetcher, 'fetch'>
  pipe: Pick<LinkPipe, 'enter' | 'run'>
  gate: RobotsGate | null
  agent: string
  clock: Clock
  /** Pages of a host before it is probed. */
  probeAfter: number
  perHost: number
  /** Whether to ask for tables even if nothing suggests that they would help. */
  searches: boolean
  reading: Pick<ReadOptions, 'maxLinks' | 'aspectsOf' | 'keptBody'>
  refuses(url: string): SkipReason | null
  borrow(hostQueue: HostQueue): ((signal: HostSignal) => void) | null
  offer(offers: readonly Offer[]): Promise<void>
  onError(error: unknown): void
}

/** Minimum number of consecutive pages with idle connections before a probe. */
const MIN_IDLE = 16

export function createPageTables(deps: PageTablesDeps): PageTables {
  const { store, clock, gate, agent, probeAfter, perHost, searches, pipe, borrow, offer, onError } = deps
  // At the end of every crawl a few pages have idle connections anyway.
  const idleBefore = searches ? 0 : Math.max(MIN_IDLE, 2 * perHost)
  const hosts = createHostTables({ store, clock, probeAfter, idleBefore })
  const fetchTable = createFetchTable({
    ...{ fetcher: deps.fetcher, agent },
    signalOf: (result: FetchResult) => signalOf(result, clock),
  })
  const mayAsk = (url: string): boolean =>
    deps.refuses(url) === null && (gate === null || gate.peek(originOf(url))?.isAllowed(agent, url) === true)
  const { aspectsOf, keptBody } = deps.reading
  const volatile = createVolatileTables({ hosts, fetchTable, mayAsk, aspectsOf, keptBody })
  const links = createLinkTables({
    ...{ hosts, fetchTable, pipe, borrow, offer, onError, mayAsk },
    maxLinks: deps.reading.maxLinks,
    obeysRobots: gate !== null,
    now: clock.now,
  })

  /** Probes for links, or else for the volatile parts of a kept page. */
  function probe(request: QueuedRequest, known: KnownDocument | null): Promise<VisitResult | null> | null {
    const asking = perHost > 1 || searches ? links.probe(request) : null
    if (asking !== null) return asking.then((signal) => ({ kind: 'postponed', signal }))
    return known !== null && hosts.mayProbe(originOf(request.url), false) ? volatile.check(request, known) : null
  }

  async function loadFirst(request: QueuedRequest, known: KnownDocument | null): Promise<VisitResult | null> {
    const state = await hosts.load(originOf(request.url))
    if (state === 'unknown') return probe(request, known)
    return state === 'offered' && known !== null ? volatile.check(request, known) : null
  }

  return {
    before(request, known, { more, inFlight, buffer }) {
      const isIdle = !more && inFlight + buffer.length < perHost
      const state = hosts.of(originOf(request.url), isIdle)
      if (state === null) return probeAfter === 0 || known !== null ? loadFirst(request, known) : null
      if (state === 'unknown') return probe(request, known)
      return state === 'offered' && known !== null ? volatile.check(request, known) : null
    },
    beside(request, hostQueue) {
      if (hosts.isOffered(originOf(request.url))) links.takeBeside(request, hostQueue)
    },
    pageCame: links.pageCame,
    has: links.has,
    compare: links.compare,
  }
}
