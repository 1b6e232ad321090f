import type { Clock } from '../../core/clock.ts'
import type { SkipReason } from '../../core/reports/crawl-report.ts'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import { originOf } from '../../core/url/url.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import type { FetchResult } from '../fetch/fetch-result.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import type { HostSignal } from '../frontier/politeness.ts'
import type { LinkPipe } from '../worker/links/link-pipe.ts'
import { signalOf } from '../worker/visit/answer-signal.ts'
import type { RobotsGate } from '../worker/visit/robots-gate.ts'
import type { VisitResult } from '../worker/visit/visit-result.ts'
import { createFetchTable } from './fetch-table.ts'
import { createHostTables } from './host-tables.ts'
import { createLinkTables } from './tol-visit.ts'

/** The tables of the pages that a shard visits, in the order of a visit. */
export type PageTables = {
  /** What is done in the page's turn instead of fetching it; null to fetch it. */
  before(request: QueuedRequest): Promise<VisitResult | null> | null
  /** The page is about to be fetched. */
  beside(request: QueuedRequest, hostQueue: HostQueue): void
  pageCame(request: QueuedRequest): Promise<void> | null
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
  reading: { maxLinks: number }
  refuses(url: string): SkipReason | null
  borrow(hostQueue: HostQueue): ((signal: HostSignal) => void) | null
  offer(offers: readonly Offer[]): Promise<void>
  onError(error: unknown): void
}

export function createPageTables(deps: PageTablesDeps): PageTables {
  const { store, clock, gate, agent, probeAfter, pipe, borrow, offer, onError } = deps
  const hosts = createHostTables({ store, clock, probeAfter })
  const fetchTable = createFetchTable({
    ...{ fetcher: deps.fetcher, agent },
    signalOf: (result: FetchResult) => signalOf(result, clock),
  })
  const links = createLinkTables({
    ...{ hosts, fetchTable, pipe, borrow, offer, onError },
    maxLinks: deps.reading.maxLinks,
    obeysRobots: gate !== null,
    now: clock.now,
    mayAsk: (url) =>
      deps.refuses(url) === null && (gate === null || gate.peek(originOf(url))?.isAllowed(agent, url) === true),
  })

  function probe(request: QueuedRequest): Promise<VisitResult> | null {
    const asking = links.probe(request)
    return asking === null ? null : asking.then((signal) => ({ kind: 'postponed', signal }))
  }

  async function loadAndProbe(request: QueuedRequest): Promise<VisitResult | null> {
    return (await hosts.load(originOf(request.url))) === 'unknown' ? probe(request) : null
  }

  return {
    before(request) {
      const state = hosts.of(originOf(request.url))
      if (state === 'unknown') return probe(request)
      return state === null && probeAfter === 0 ? loadAndProbe(request) : null
    },
    beside(request, hostQueue) {
      if (hosts.isOffered(originOf(request.url))) links.takeBeside(request, hostQueue)
    },
    pageCame: links.pageCame,
    compare: links.compare,
  }
}
