import { isAppError } from '../../core/errors.ts'
import type { QueuedRequest } from '../../core/request.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import type { Batch, Failure } from './batch.ts'
import { noteGivenUp, resultsOfGivenUp } from './check-results.ts'
import type { ShardDeps } from './shard-settings.ts'

export type HostFailuresDeps = Pick<
  ShardDeps,
  'store' | 'watches' | 'onResults' | 'sendResults' | 'stats' | 'crawlStats' | 'log'
> & {
  frontier: Pick<Frontier, 'drop'>
  batch: Pick<Batch, 'persist' | 'againOf'>
  /** Whether hosts may become another's: then whoever has them now sees to them. */
  mayLose: boolean
  /** So many requests left the queue. */
  onDropped(requests: number): void
}

type NewsOf = Parameters<ShardDeps['store']['giveUp']>[1]

/** Hosts that fail again and again: they rest, and in the end are given up for this run with all that is queued for them. */
export function createHostFailures(deps: HostFailuresDeps) {
  const { store, frontier, batch, stats, crawlStats, log } = deps
  const givenUp = new WeakSet<HostQueue>()

  function countLost(host: string, requests: number): void {
    stats.add('failed', requests)
    crawlStats.failure('host-given-up', requests)
    crawlStats.hostGivenUp(host, requests)
  }

  /** Null where the host is not ours any more. */
  async function giveUp(hostQueue: HostQueue, resultsOf: NewsOf) {
    try {
      return await batch.persist(async () => {
        // What is in flight or waits to be kept counts by itself, but for what was to be tried again.
        const counted = hostQueue.inFlight + hostQueue.unsettled - batch.againOf(hostQueue)
        return { ...(await store.giveUp(hostQueue.id, resultsOf)), counted }
      }, hostQueue.lease)
    } catch (error) {
      if (deps.mayLose && isAppError(error) && (error.code === 'lease-lost' || error.retry === 'later')) return null
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
      // Where others are to be told, they were when the requests went.
      if (deps.sendResults === undefined) {
        noteGivenUp(deps.watches, watches, request, failure)
        deps.onResults()
      }
      countLost(host, Math.max(0, dropped - counted))
      log('warn', 'host given up for this run', { host, failures, dropped })
      deps.onDropped(dropped)
    },
  }
}
