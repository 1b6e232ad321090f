import type { QueuedRequest } from '../../../core/request.ts'
import type { CompletedRequests, HostClock } from '../../contracts/frontier.ts'
import { numberArray } from '../connection/array-values.ts'
import { type HeldPartition, partitionOfId } from './frontier-partitions.ts'

export type CompletionShare = { done: QueuedRequest[]; again: QueuedRequest[]; clocks: HostClock[] }

/** What belongs to each partition. */
export function shareOut(batch: Omit<CompletedRequests, 'offers'>): Map<number, CompletionShare> {
  const shares = new Map<number, CompletionShare>()
  const shareOf = (id: number): CompletionShare => {
    const partition = partitionOfId(id)
    const known = shares.get(partition)
    if (known !== undefined) return known
    const share: CompletionShare = { done: [], again: [], clocks: [] }
    shares.set(partition, share)
    return share
  }
  for (const request of batch.done) shareOf(request.hostId).done.push(request)
  for (const request of batch.again) shareOf(request.hostId).again.push(request)
  for (const clock of batch.hosts) shareOf(clock.id).clocks.push(clock)
  return shares
}

/** Values of `frontier_settle`. */
export function settleValues(
  { partition, epoch }: HeldPartition,
  run: number,
  { done, again, clocks }: CompletionShare,
) {
  return [
    partition,
    epoch,
    run,
    numberArray(done.map(({ seq }) => seq)),
    numberArray(again.map(({ seq }) => seq)),
    numberArray(again.map(({ attempts }) => attempts)),
    numberArray(clocks.map(({ id }) => id)),
    numberArray(clocks.map(({ nextAt }) => Math.round(nextAt))),
    numberArray(clocks.map(({ failures }) => failures)),
    numberArray(clocks.map(({ rests }) => rests)),
  ]
}
