import { isAppError } from '../../core/errors.ts'
import { retry, type Wait } from '../../core/retry.ts'
import type { PartitionGrant } from '../../store/contracts/partition-leases.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { createPartitionLease, type PartitionLease, whenQuiet } from '../frontier/partition-lease.ts'
import type { Batch } from './batch.ts'

/** The partitions of a shard, where they come and go. */
export type Partitions = {
  /** Tells the store what is ours; its hosts can be asked for then. */
  add(grants: readonly PartitionGrant[]): Promise<void>
  /** Tells the store what is not ours any more; effective at once, resolves when nothing is under way for them. */
  drop(partitions: readonly number[]): Promise<void>
  partitionOf(hostId: number): number
  /** Whether the lease of this epoch can be counted on at this very moment. */
  isHeld(partition: number, epoch: number): boolean
}

export type WorkerLeases = {
  /** Under which a host may be crawled; null for none. */
  ofHost(hostId: number): PartitionLease | null
  /** Asked right before something is asked of a host. */
  mayBegin(lease: PartitionLease): boolean
  take(grants: readonly PartitionGrant[]): Promise<void>
  /** Hands over in good order: resolves when everything that was in hand is kept and nothing more will be written. */
  yield(partitions: readonly number[]): Promise<void>
  lose(partitions: readonly number[]): void
  yieldAll(): Promise<void>
}

export type WorkerLeasesOptions = {
  partitions: Partitions
  frontier: Pick<Frontier, 'leave' | 'look'>
  batch: Pick<Batch, 'hurry' | 'keepClocks'>
  wait: Wait
  /** Can never be held. */
  onError(error: unknown): void
  /** Partitions came or went. */
  onChange(): void
}

const RETRY = { firstMs: 100, lastMs: 5_000 }

type Coming = { grant: PartitionGrant; lease: PartitionLease; before: PartitionLease | undefined }

export function createWorkerLeases(options: WorkerLeasesOptions): WorkerLeases {
  const { partitions, frontier, batch } = options
  const workerLeases = new Map<number, PartitionLease>()
  /** Grants reach the store one after the other, so that of two for the same partition the later one stays. */
  let admitting: Promise<void> = Promise.resolve()

  function end(ended: readonly PartitionLease[]): void {
    for (const lease of ended) lease.state = 'over'
    frontier.leave(new Set(ended))
    for (const lease of ended) batch.hurry(lease)
  }

  function find(numbers: readonly number[]): PartitionLease[] {
    return numbers.flatMap((partition) => workerLeases.get(partition) ?? [])
  }

  function admitInTurn(coming: readonly Coming[]): Promise<void> {
    admitting = admitting.then(() => admit(coming)).catch(options.onError)
    return admitting
  }

  async function admit(coming: readonly Coming[]): Promise<void> {
    let isAdded = false
    await retry(
      async () => {
        const live = coming.filter(({ lease }) => lease.state === 'coming')
        if (live.length > 0) await partitions.add(live.map(({ grant }) => grant))
        isAdded = live.length > 0
      },
      { ...RETRY, wait: options.wait },
    )
    if (!isAdded) return
    const gone: number[] = []
    for (const { lease } of coming) {
      if (lease.state === 'coming') lease.state = 'held'
      else if (workerLeases.get(lease.partition) === lease) gone.push(lease.partition)
    }
    if (gone.length > 0) void partitions.drop(gone)
    frontier.look()
    options.onChange()
  }

  async function handOver(lease: PartitionLease): Promise<void> {
    await whenQuiet(lease)
    if (isOver(lease)) return
    try {
      await batch.keepClocks(lease)
    } catch (error) {
      // Then the partition is lost, or the store can't be reached until the end.
      if (!isAppError(error)) throw error
    }
    if (isOver(lease)) return
    lease.state = 'over'
    await partitions.drop([lease.partition])
  }

  const all: WorkerLeases = {
    ofHost(hostId) {
      const lease = workerLeases.get(partitions.partitionOf(hostId))
      return lease?.state === 'held' ? lease : null
    },
    mayBegin: (lease) => lease.state === 'held' && partitions.isHeld(lease.partition, lease.epoch),
    async take(grants) {
      const coming = grants.map((grant): Coming => {
        const before = workerLeases.get(grant.partition)
        const lease = createPartitionLease(grant.partition, grant.epoch, grant.recovered)
        workerLeases.set(grant.partition, lease)
        return { grant, lease, before }
      })
      end(coming.flatMap(({ before }) => (before === undefined || before.state === 'over' ? [] : [before])))
      // What is still on its way under an earlier tenure comes home first: its host would be asked by two.
      const isBusy = ({ before }: Coming): boolean => before !== undefined && before.inHand > 0
      await Promise.all([
        admitInTurn(coming.filter((each) => !isBusy(each))),
        ...coming.filter(isBusy).map(async (each) => {
          await whenQuiet(each.before!)
          await admitInTurn([each])
        }),
      ])
    },
    async yield(numbers) {
      const leaving = find(numbers).filter(({ state }) => state === 'held' || state === 'coming')
      for (const lease of leaving) lease.state = lease.state === 'held' ? 'leaving' : 'over'
      frontier.leave(new Set(leaving))
      for (const lease of leaving) batch.hurry(lease)
      await Promise.all(leaving.map(handOver))
      options.onChange()
    },
    lose(numbers) {
      const lost = find(numbers).filter(({ state }) => state !== 'over')
      if (lost.length === 0) return
      end(lost)
      void partitions.drop(lost.map(({ partition }) => partition))
      options.onChange()
    },
    yieldAll: () => all.yield([...workerLeases.keys()]),
  }
  return all
}

const isOver = ({ state }: PartitionLease): boolean => state === 'over'
