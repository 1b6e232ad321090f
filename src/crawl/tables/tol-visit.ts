import { linkDepth, type Offer, type QueuedRequest } from '../../core/request.ts'
import { originOf } from '../../core/url/url.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import type { HostSignal } from '../frontier/politeness.ts'
import type { LinkPipe, PageContext } from '../worker/links/link-pipe.ts'
import type { FetchedTable, FetchTable } from './fetch-table.ts'
import type { HostTables } from './host-tables.ts'
import { tableUrl } from './table-text.ts'
import { type LinkTable, MAX_TOL_BYTES, readLinkTable } from './tol.ts'

/**
 * Fetches tables of links. A table is requested in parallel with its page, over an otherwise idle connection to the host: it delays no
 * page, and its links are in the frontier while the page is still loading. The page is read as always, so a wrong table costs its requests
 * and nothing more. It is `taken` until its page arrives; a table that arrives later is ignored.
 */
export type LinkTables = {
  /** Uses the page's turn for its table, to find out whether the host offers tables. Resolves to the host signal; null if no probe is due. */
  probe(request: QueuedRequest): Promise<HostSignal> | null
  /** Requests the table of a page that is about to be fetched, if the host offers tables and has an idle connection. */
  takeBeside(request: QueuedRequest, hostQueue: HostQueue): void
  /** Called when the page has arrived, or won't: resolves when the links of its table are accepted. */
  pageCame(request: QueuedRequest): Promise<void> | null
  /** Whether there is a table to compare with the page. */
  has(request: QueuedRequest): boolean
  /** Compares the table with the page. */
  compare(request: QueuedRequest, capture: Capture | null): void
}

export type LinkTablesDeps = {
  hosts: HostTables
  fetchTable: FetchTable
  pipe: Pick<LinkPipe, 'enter' | 'run'>
  maxLinks: number
  now(): number
  /** Whether robots.txt and the administrator's lists allow a URL, as far as known now. */
  mayAsk(url: string): boolean
  /** Whether robots directives of the server are obeyed. */
  obeysRobots: boolean
  /** Borrows an idle connection; null if there is none. Call the returned function with the host signal to give it back. */
  borrow(hostQueue: HostQueue): ((signal: HostSignal) => void) | null
  /** Resolves when their owners have accepted them. */
  offer(offers: readonly Offer[]): Promise<void>
  onError(error: unknown): void
}

type TakenTable = {
  isAnswered: boolean
  isLate: boolean
  accepted: Promise<void> | null
  table: LinkTable | null
  offered: readonly string[]
}

export function createLinkTables(deps: LinkTablesDeps): LinkTables {
  const { hosts, fetchTable, pipe, mayAsk } = deps
  /** Tables by the request of their page, while it exists. */
  const taken = new WeakMap<QueuedRequest, TakenTable>()

  async function offerLinks(request: QueuedRequest, { base, links }: LinkTable): Promise<string[]> {
    const { url, host, depth, hops, check } = request
    const page: PageContext = { url, host, baseHref: base, depth, hops, check }
    const found = links.map((href) => ({ href, tag: 'a' as const, nofollow: false, known: null }))
    pipe.enter(page)
    const { offers } = await pipe.run(found, page, deps.now())
    if (offers.length > 0) await deps.offer(offers)
    return offers.map((offer) => offer.url)
  }

  async function read(fetched: FetchedTable, origin: string): Promise<LinkTable | null> {
    const { kind } = fetched
    const table = kind === 'body' ? readLinkTable(fetched.body, deps.maxLinks) : null
    await hosts.note(origin, table !== null ? 'found' : kind === 'missing' ? 'missing' : 'wrong')
    const isNofollow = kind === 'body' && fetched.isNofollow && deps.obeysRobots
    return table !== null && isNofollow ? { ...table, links: [] } : table
  }

  async function probe(request: QueuedRequest, url: string): Promise<HostSignal> {
    const fetched = await fetchTable(url, MAX_TOL_BYTES)
    const { signal } = fetched
    const table = await read(fetched, originOf(request.url))
    if (table === null) return signal
    const kept: TakenTable = { isAnswered: true, isLate: false, accepted: null, table, offered: [] }
    if (leadsOn(request)) kept.offered = await offerLinks(request, table)
    taken.set(request, kept)
    return signal
  }

  async function take(request: QueuedRequest, url: string, kept: TakenTable, giveBack: (signal: HostSignal) => void) {
    const fetched = await fetchTable(url, MAX_TOL_BYTES)
    // A failed table doesn't count against the host: its pages show whether it works.
    giveBack(fetched.signal.kind === 'failed' ? { kind: 'untouched' } : fetched.signal)
    if (kept.isLate) return
    kept.isAnswered = true
    const table = await read(fetched, originOf(request.url))
    if (table === null) return
    kept.table = table
    kept.accepted = offerLinks(request, table).then((urls) => {
      kept.offered = urls
    })
    await kept.accepted
  }

  return {
    probe(request) {
      const url = tableUrl('TOL', request.url)
      if (url === null || !mayAsk(url) || !hosts.mayProbe(originOf(request.url))) return null
      return probe(request, url)
    },
    takeBeside(request, hostQueue) {
      if (!leadsOn(request) || taken.has(request)) return
      const url = tableUrl('TOL', request.url)
      if (url === null || !mayAsk(url)) return
      const giveBack = deps.borrow(hostQueue)
      if (giveBack === null) return
      const kept: TakenTable = { isAnswered: false, isLate: false, accepted: null, table: null, offered: [] }
      taken.set(request, kept)
      take(request, url, kept, giveBack).catch(deps.onError)
    },
    pageCame(request) {
      const kept = taken.get(request)
      if (kept === undefined) return null
      kept.isLate = true
      return kept.isAnswered ? kept.accepted : hosts.note(originOf(request.url), 'late')
    },
    has: (request) => taken.has(request),
    compare(request, capture) {
      const kept = taken.get(request)
      if (kept === undefined) return
      taken.delete(request)
      if (kept.table === null || capture?.kind !== 'body') return
      const links = new Set(capture.links)
      const isRight = kept.table.document.equals(capture.digest) && kept.offered.every((url) => links.has(url))
      hosts.note(originOf(request.url), isRight ? 'right' : 'wrong').catch(deps.onError)
    },
  }
}

const leadsOn = ({ depth }: QueuedRequest): boolean => linkDepth(depth) !== null
