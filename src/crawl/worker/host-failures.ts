import { isAppError } from '../../core/errors.ts'
import type { QueuedRequest } from '../../core/request.ts'
import { isTemporary } from '../../core/work/retry.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import type { CrawlStats } from './crawl-stats.ts'
import type { Batch, Failure } from './results/batch.ts'
import { noteGivenUp, resultsOfGivenUp, type Watches } from './results/check-results.ts'
import type { ShardStats } from './shared-counters.ts'

export type HostFailuresDeps = {
  store: FrontierStore
  watches: Watches
  stats: ShardStats
  crawlStats: CrawlStats
  log(level: 'warn', message: string, fields?: Record<string, unknown>): void
  frontier: Pick<Frontier, 'drop'>
  batch: Pick<Batch, 'persist' | 'againOf'>
  /** Publishes the results that were noted. */
  publish(): void
  /** Called with the number of requests removed from the queue. */
  onDropped(requests: number): void
}

export type HostFailures = ReturnType<typeof createHostFailures>

type ResultsOf = Parameters<FrontierStore['giveUp']>[1]

/** Handles hosts that keep failing: they rest, and are finally given up for this run, with everything queued for them. */
export function createHostFailures(deps: HostFailuresDeps) {
  const { store, frontier, batch, stats, crawlStats, log } = deps
  const givenUp = new WeakSet<HostQueue>()

  function countLost(host: string, requests: number): void {
    stats.add('failed', requests)
    crawlStats.failure('host-given-up', requests)
    crawlStats.hostGivenUp(host, requests)
  }

  /** Null if the host is not ours any more. */
  async function giveUp(hostQueue: HostQueue, resultsOf: ResultsOf) {
    try {
      return await batch.persist(async () => {
        // Requests in flight or uncommitted are counted elsewhere, except those that would be retried.
        const counted = hostQueue.inFlight + hostQueue.uncommitted - batch.againOf(hostQueue)
        return { ...(await store.giveUp(hostQueue.id, resultsOf)), counted }
      }, hostQueue.lease)
    } catch (error) {
      // If another worker can take over, it handles the host.
      if (!hostQueue.lease.isPermanent && (isAppError(error, 'lease-lost') || isTemporary(error))) return null
      throw error
    }
  }

  return {
    countLost,
    isGivenUp: (hostQueue: HostQueue): boolean => givenUp.has(hostQueue),
    async note(
      hostQueue: HostQueue,
      verdict: 'rests' | 'given-up',
      request: QueuedRequest,
      failure: Failure | undefined,
    ): Promise<void> {
      const { host, failures, rests } = hostQueue
      if (verdict === 'rests') {
        crawlStats.hostRests(host, failures)
        log('warn', 'host rests after failures', { host, failures, rests })
        return
      }
      givenUp.add(hostQueue)
      frontier.drop(hostQueue)
      const given = await giveUp(hostQueue, (queued) => resultsOfGivenUp(queued, request, failure))
      if (given === null) return
      const { dropped, counted, watches } = given
      // A shared store has published these results together with the end of the requests.
      if (hostQueue.lease.isPermanent) {
        noteGivenUp(deps.watches, watches, request, failure)
        deps.publish()
      }
      countLost(host, Math.max(0, dropped - counted))
      log('warn', 'host given up for this run', { host, failures, dropped })
      deps.onDropped(dropped)
    },
  }
}
