import type { MessagePort } from 'node:worker_threads'
import { AppError, type ErrorCode, isAppError } from '../../../core/errors.ts'
import type { Offer } from '../../../core/request.ts'
import type { OfferCounts } from '../../contracts/frontier.ts'

/**
 * Sends links between the shards of one process: in batches, over message ports, each acknowledged once the owner
 * has committed it. The owner replies from its event loop without waiting for other shards, so there can be no deadlock.
 */
export type Exchange = {
  send(shard: number, offers: readonly Offer[]): Promise<OfferCounts>
  serve(accept: (offers: readonly Offer[]) => OfferCounts): void
  close(): void
}

type Letter = { id: number; offers: readonly Offer[] }
type Answer = { id: number; counts: OfferCounts } | { id: number; error: { code: ErrorCode; message: string } }

/** `ports[n]` leads to shard n; null for this shard. */
export function createExchange(ports: readonly (MessagePort | null)[]): Exchange {
  const waiting = new Map<number, { resolve(counts: OfferCounts): void; reject(error: Error): void }>()
  let lastId = 0

  function receiveAnswer(answer: Answer): void {
    const waiter = waiting.get(answer.id)
    if (waiter === undefined) return // answered after close
    waiting.delete(answer.id)
    if ('counts' in answer) waiter.resolve(answer.counts)
    else waiter.reject(new AppError(answer.error.code, answer.error.message))
  }

  return {
    send(shard, offers) {
      const port = ports[shard]
      if (!port) throw new AppError('internal', `no way to shard ${shard}`)
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        port.postMessage({ id, offers } satisfies Letter)
      })
    },
    serve(accept) {
      for (const port of ports) {
        port?.on('message', (message: Letter | Answer) => {
          if (!('offers' in message)) return receiveAnswer(message)
          port.postMessage(answerTo(message, accept))
        })
      }
    },
    close() {
      for (const port of ports) port?.close()
    },
  }
}

function answerTo({ id, offers }: Letter, accept: (offers: readonly Offer[]) => OfferCounts): Answer {
  try {
    return { id, counts: accept(offers) }
  } catch (error) {
    const code = isAppError(error) ? error.code : 'internal'
    return { id, error: { code, message: error instanceof Error ? error.message : String(error) } }
  }
}
