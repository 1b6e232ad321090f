/**
 * The time for which a shard holds a partition. Lanes, and through them everything that is in hand, belong to the tenure under which they
 * were opened: a partition that is lost and granted again is another tenure.
 *
 * A tenure is
 * - `coming`: granted, the store is not asked yet;
 * - `held`: its hosts are crawled;
 * - `leaving`: others want it. Nothing more of it is begun; what is in hand is kept, then it is handed over;
 * - `over`: handed over, or lost. Results that still come are thrown away: whoever holds the partition now fetches again.
 */
export type PartitionLease = {
  readonly partition: number
  readonly epoch: number
  /** Whoever held it before was killed: requests may have been on their way, and what they brought may be kept already. */
  readonly recovered: boolean
  state: 'coming' | 'held' | 'leaving' | 'over'
  /** Requests that were begun and whose results are neither kept nor thrown away. */
  inHand: number
  /** Called when nothing is in hand any more. */
  onQuiet: (() => void)[]
}

export function createPartitionLease(partition: number, epoch: number, recovered: boolean): PartitionLease {
  return { partition, epoch, recovered, state: 'coming', inHand: 0, onQuiet: [] }
}

/** Of a shard whose hosts are its own from its start to its end. */
export function createPermanentLease(): PartitionLease {
  return { ...createPartitionLease(0, 0, false), state: 'held' }
}

export function leaveHand(lease: PartitionLease, requests = 1): void {
  lease.inHand -= requests
  if (lease.inHand === 0 && lease.onQuiet.length > 0) for (const tell of lease.onQuiet.splice(0)) tell()
}

/** Resolves when nothing of the tenure is in hand. */
export function whenQuiet(lease: PartitionLease): Promise<void> {
  if (lease.inHand === 0) return Promise.resolve()
  return new Promise((resolve) => lease.onQuiet.push(resolve))
}
