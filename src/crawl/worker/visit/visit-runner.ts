import type { Clock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import { type QueuedRequest, queuedRequest } from '../../../core/request.ts'
import type { Track } from '../../../core/work/retries.ts'
import { isTemporary } from '../../../core/work/retry.ts'
import type { Frontier } from '../../frontier/frontier.ts'
import type { HostQueue } from '../../frontier/host-queue.ts'
import { endInFlight, type PartitionLease } from '../../frontier/partition-lease.ts'
import type { PageTables } from '../../tables/page-tables.ts'
import type { CrawlStats } from '../crawl-stats.ts'
import type { Dispatcher } from '../dispatcher.ts'
import type { HostFailures } from '../host-failures.ts'
import type { Batch } from '../results/batch.ts'
import type { Conclude } from './conclude.ts'
import type { Visit } from './visit.ts'
import type { VisitResult } from './visit-result.ts'

/** Result of a request whose watch has ended. */
const orphaned = { kind: 'dropped' } as const

/** Retry delay once a crawl has taken all its pages: soon it either gets some back or is over. */
const SPENT_MS = 200

export type VisitRunnerDeps = {
  clock: Pick<Clock, 'monotonic'>
  frontier: Frontier
  dispatcher: Dispatcher
  visit: Visit
  conclude: Conclude
  /** Whether pages answered from the archive count against the page budget, too. */
  countsAllVisits: boolean
  batch: Pick<Batch, 'add'>
  /** Null if tables are not used. */
  tables: Pick<PageTables, 'compare'> | null
  /** Discards results that can't be written here. */
  refuse(items: readonly { hostQueue: HostQueue; request: QueuedRequest }[], lease: PartitionLease): void
  hostFailures: HostFailures
  crawlStats: CrawlStats
  /** Delays from robots.txt found by visits, by host. */
  crawlDelays: Map<string, number>
  /** Whether the watch of a request still exists. */
  isWatched(check: QueuedRequest['check']): Promise<boolean>
  /** Page budgets of the service's crawls. */
  pages: {
    /** False if none is left; some may still be given back. */
    take(check: QueuedRequest['check']): Promise<boolean>
    /** Returns a page that was not fetched. */
    giveBack(check: QueuedRequest['check']): void
  }
  /** Shows that store look-ups of pages are failing; their requests wait. */
  track?: Track
}

/** Takes one request from its start to the batch: connect, visit, release the host, read the answer. */
export function createVisitRunner(deps: VisitRunnerDeps) {
  const { frontier, dispatcher, visit, conclude, batch, hostFailures, crawlStats, crawlDelays } = deps
  const answered: (() => void)[] = []

  /** Answers that arrive together are read one right after the other, so that the reading code stays in the CPU caches. */
  function inTurn(): Promise<void> {
    return new Promise((resolve) => {
      if (answered.push(resolve) === 1) setImmediate(readAnswered)
    })
  }

  function readAnswered(): void {
    for (const resume of answered.splice(0)) resume()
  }

  async function visitOfWatch(request: QueuedRequest, hostQueue: HostQueue): Promise<VisitResult | typeof orphaned> {
    const { check } = request
    if (!(await deps.isWatched(check))) return orphaned
    if (!(await deps.pages.take(check)))
      return { kind: 'postponed', signal: { kind: 'untouched' }, until: deps.clock.monotonic() + SPENT_MS }
    const result = await visit(request, hostQueue)
    if (!('response' in result) && !('status' in result && result.status > 0)) deps.pages.giveBack(check)
    return result
  }

  return async function run(hostQueue: HostQueue, request: QueuedRequest): Promise<void> {
    const { address } = hostQueue
    let result: VisitResult | typeof orphaned
    try {
      result = await (request.check.watch === 0 ? visit(request, hostQueue) : visitOfWatch(request, hostQueue))
    } catch (error) {
      if (!isTemporary(error)) throw error
      deps.track?.failed(error)
      dispatcher.returnAddress(address)
      return dispatcher.withdrawForLookup(hostQueue, request)
    }
    deps.track?.done()
    dispatcher.returnAddress(address)
    if (crawlDelays.size > 0) {
      hostQueue.crawlDelayMs = crawlDelays.get(hostQueue.host) ?? hostQueue.crawlDelayMs
      crawlDelays.delete(hostQueue.host)
    }
    if ('response' in result) hostQueue.address = result.response.address
    if (result.kind === 'postponed') {
      hostQueue.nextAt = Math.max(hostQueue.nextAt, result.until ?? 0)
      frontier.postpone(hostQueue, request, result.signal)
      return dispatcher.withdraw(hostQueue, request)
    }
    const signal = 'signal' in result ? result.signal : ({ kind: 'untouched' } as const)
    if (signal.kind !== 'untouched') crawlStats.hostTime(hostQueue.host, signal.totalMs)
    const verdict = frontier.release(hostQueue, signal)
    // The host continues with its next request while this answer is read.
    dispatcher.dispatchSoon()
    const isFetched = 'response' in result || ('status' in result && result.status > 0)
    if (!isFetched && !deps.countsAllVisits) dispatcher.returnPage(request)
    await inTurn()
    let concluded: Awaited<ReturnType<Conclude>>
    try {
      concluded = await conclude(request, result)
    } catch (error) {
      const isLost = isAppError(error, 'lease-lost')
      if (hostQueue.lease.isPermanent || !(isLost || isTemporary(error))) throw error
      // The partition was lost, or the store stayed unreachable: the request is still queued for the next holder.
      dispatcher.fetched()
      return deps.refuse([{ hostQueue, request }], hostQueue.lease)
    }
    deps.tables?.compare(request, concluded.capture)
    const { capture, recorded, parts, offers, kept, traps, again: wanted, skipped, failure } = concluded
    // A host that was given up, for this request or another, gets no retry.
    const again = wanted && verdict !== 'given-up' && !hostFailures.isGivenUp(hostQueue)
    if (wanted && !again) hostFailures.countLost(hostQueue.host, 1)
    dispatcher.fetched()
    if (verdict !== 'goes-on') hostQueue.lease.inFlight++
    batch.add({
      hostQueue,
      request: again ? queuedRequest(request, { ...request, attempts: request.attempts + 1 }) : request,
      capture,
      recorded,
      parts,
      offers,
      kept,
      traps,
      again,
      skipped,
      failure,
    })
    if (verdict === 'goes-on') return
    await hostFailures.note(hostQueue, verdict, request, failure)
    endInFlight(hostQueue.lease)
  }
}
