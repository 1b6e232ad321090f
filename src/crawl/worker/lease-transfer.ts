import { isAppError } from '../../core/errors.ts'
import type { Retries } from '../../core/work/retries.ts'
import { retry, type Wait } from '../../core/work/retry.ts'
import type { PartitionGrant } from '../../store/contracts/cluster/partition-leases.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { createPartitionLease, type Leases, type PartitionLease, whenIdle } from '../frontier/partition-lease.ts'
import type { Batch } from './results/batch.ts'

/** Workers use the clock of their database, which each of them knows to within a few milliseconds. */
const CLOCK_MARGIN_MS = 50
const RETRY = { firstMs: 100, lastMs: 5_000 }

export type LeaseTable = Leases & { readonly byPartition: Map<number, PartitionLease> }

export type LeaseTableDeps = {
  partitionOf(hostId: number): number
  /** Whether the lease of this epoch is valid at this moment. */
  isHeld(partition: number, epoch: number): boolean
}

/** The leases of a shard in a cluster, one per partition granted to it. */
export function createLeaseTable({ partitionOf, isHeld }: LeaseTableDeps): LeaseTable {
  const byPartition = new Map<number, PartitionLease>()
  return {
    byPartition,
    clockMarginMs: CLOCK_MARGIN_MS,
    ofHost(hostId) {
      const lease = byPartition.get(partitionOf(hostId))
      return lease?.state === 'held' ? lease : null
    },
    mayBegin: (lease) => lease.state === 'held' && isHeld(lease.partition, lease.epoch),
  }
}

/** The store's view of the partitions of a shard. */
export type PartitionStore = {
  /** Adds partitions; from then on their hosts can be queried. */
  add(grants: readonly PartitionGrant[]): Promise<void>
  /** Drops partitions. Effective at once; resolves when nothing is in progress for them. */
  drop(partitions: readonly number[]): Promise<void>
}

/** Moves the leases of a shard from state to state, see `PartitionLease`. */
export type LeaseTransfer = {
  take(grants: readonly PartitionGrant[]): Promise<void>
  /** Hands over gracefully: resolves when everything in flight is committed and nothing more will be written. */
  yield(partitions: readonly number[]): Promise<void>
  lose(partitions: readonly number[]): void
  yieldAll(): Promise<void>
}

export type LeaseTransferDeps = {
  table: LeaseTable
  partitions: PartitionStore
  frontier: Pick<Frontier, 'closeQueues' | 'findHosts'>
  batch: Pick<Batch, 'hurry' | 'commitClocks'>
  wait: Wait
  retries?: Retries | undefined
  /** Called when a partition can't be added. */
  onError(error: unknown): void
  /** Called when partitions were added or removed. */
  onChange(): void
}

type Coming = { grant: PartitionGrant; lease: PartitionLease; before: PartitionLease | undefined }

export function createLeaseTransfer({ table, partitions, frontier, batch, ...deps }: LeaseTransferDeps): LeaseTransfer {
  const leases = table.byPartition
  /** Grants reach the store one after the other, so that the later of two for the same partition wins. */
  let adding: Promise<void> = Promise.resolve()

  function end(ended: readonly PartitionLease[]): void {
    for (const lease of ended) lease.state = 'ended'
    frontier.closeQueues(new Set(ended))
    for (const lease of ended) batch.hurry(lease)
  }

  function find(numbers: readonly number[]): PartitionLease[] {
    return numbers.flatMap((partition) => leases.get(partition) ?? [])
  }

  function addInTurn(coming: readonly Coming[]): Promise<void> {
    adding = adding.then(() => add(coming)).catch(deps.onError)
    return adding
  }

  async function add(coming: readonly Coming[]): Promise<void> {
    let isAdded = false
    await retry(
      async () => {
        const live = coming.filter(({ lease }) => lease.state === 'granted')
        if (live.length > 0) await partitions.add(live.map(({ grant }) => grant))
        isAdded = live.length > 0
      },
      { ...RETRY, wait: deps.wait, track: deps.retries?.track('taking over partitions') },
    )
    if (!isAdded) return
    const gone: number[] = []
    for (const { lease } of coming) {
      if (lease.state === 'granted') lease.state = 'held'
      else if (leases.get(lease.partition) === lease) gone.push(lease.partition)
    }
    if (gone.length > 0) void partitions.drop(gone)
    frontier.findHosts()
    deps.onChange()
  }

  async function handOver(lease: PartitionLease): Promise<void> {
    await whenIdle(lease)
    if (hasEnded(lease)) return
    try {
      await batch.commitClocks(lease)
    } catch (error) {
      // The partition is lost, or the store stayed unreachable.
      if (!isAppError(error)) throw error
    }
    if (hasEnded(lease)) return
    lease.state = 'ended'
    await partitions.drop([lease.partition])
  }

  const transfer: LeaseTransfer = {
    async take(grants) {
      const coming = grants.map((grant): Coming => {
        const before = leases.get(grant.partition)
        const lease = createPartitionLease(grant.partition, grant.epoch, grant.recovered)
        leases.set(grant.partition, lease)
        return { grant, lease, before }
      })
      end(coming.flatMap(({ before }) => (before === undefined || hasEnded(before) ? [] : [before])))
      // Wait for requests in flight under an earlier lease: otherwise a host could get two at a time.
      const isBusy = ({ before }: Coming): boolean => before !== undefined && before.inFlight > 0
      await Promise.all([
        addInTurn(coming.filter((each) => !isBusy(each))),
        ...coming.filter(isBusy).map(async (each) => {
          await whenIdle(each.before!)
          await addInTurn([each])
        }),
      ])
    },
    async yield(numbers) {
      const leaving = find(numbers).filter(({ state }) => state === 'held' || state === 'granted')
      for (const lease of leaving) lease.state = lease.state === 'held' ? 'leaving' : 'ended'
      frontier.closeQueues(new Set(leaving))
      for (const lease of leaving) batch.hurry(lease)
      await Promise.all(leaving.map(handOver))
      deps.onChange()
    },
    lose(numbers) {
      const lost = find(numbers).filter((lease) => !hasEnded(lease))
      if (lost.length === 0) return
      end(lost)
      void partitions.drop(lost.map(({ partition }) => partition))
      deps.onChange()
    },
    yieldAll: () => transfer.yield([...leases.keys()]),
  }
  return transfer
}

const hasEnded = ({ state }: PartitionLease): boolean => state === 'ended'
