import { isAppError } from '../../core/errors.ts'
import type { QueuedRequest } from '../../core/request.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { Lane } from '../frontier/host-queue.ts'
import type { Batch, Failure } from './batch.ts'
import { newsOfGivenUp, noteGivenUp } from './check-results.ts'
import type { ShardDeps } from './shard-settings.ts'

export type HostTroubleDeps = Pick<
  ShardDeps,
  'store' | 'watches' | 'onNews' | 'tellNews' | 'figures' | 'tally' | 'log'
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
export function createHostTrouble(deps: HostTroubleDeps) {
  const { store, frontier, batch, figures, tally, log } = deps
  const givenUp = new WeakSet<Lane>()

  function countLost(host: string, requests: number): void {
    figures.add('failed', requests)
    tally.failure('host-given-up', requests)
    tally.hostGivenUp(host, requests)
  }

  /** Null where the host is not ours any more. */
  async function giveUp(lane: Lane, newsOf: NewsOf) {
    try {
      return await batch.persist(async () => {
        // What is in flight or waits to be kept counts by itself, but for what was to be tried again.
        const counted = lane.inFlight + lane.unsettled - batch.againOf(lane)
        return { ...(await store.giveUp(lane.id, newsOf)), counted }
      }, lane.tenure)
    } catch (error) {
      if (deps.mayLose && isAppError(error) && (error.code === 'lease-lost' || error.retry === 'later')) return null
      throw error
    }
  }

  return {
    countLost,
    isGivenUp: (lane: Lane): boolean => givenUp.has(lane),
    async note(
      lane: Lane,
      verdict: 'rests' | 'given-up',
      request: QueuedRequest,
      failure: Failure | undefined,
    ): Promise<void> {
      const { host, failures, rests } = lane
      if (verdict === 'rests') {
        tally.hostRests(host, failures)
        log('warn', 'host rests after failures', { host, failures, rests })
        return
      }
      givenUp.add(lane)
      frontier.drop(lane)
      const given = await giveUp(lane, (queued) => newsOfGivenUp(queued, request, failure))
      if (given === null) return
      const { dropped, counted, watches } = given
      // Where others are to be told, they were when the requests went.
      if (deps.tellNews === undefined) {
        noteGivenUp(deps.watches, watches, request, failure)
        deps.onNews()
      }
      countLost(host, Math.max(0, dropped - counted))
      log('warn', 'host given up for this run', { host, failures, dropped })
      deps.onDropped(dropped)
    },
  }
}
