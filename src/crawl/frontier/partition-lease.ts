/**
 * The period for which a shard holds a partition. Host queues, and through them everything in flight, belong to the lease under which they
 * were opened: a partition that is lost and granted again comes with another lease.
 *
 * A lease is
 * - `granted`: the store does not know of it yet;
 * - `held`: its hosts are crawled;
 * - `leaving`: another worker wants the partition. Nothing new is started; requests in flight are committed, then it is handed over;
 * - `ended`: handed over, or lost. Results that arrive later are refused: the next holder fetches these pages again.
 *
 * A permanent lease is `held` from the start of the shard to its end.
 */
export type PartitionLease = {
  readonly partition: number
  readonly epoch: number
  /** The previous holder was killed: requests may have been in flight, and their results may be stored already. */
  readonly recovered: boolean
  /** No other worker can take over, so a result that can't be written here is never written. */
  readonly isPermanent: boolean
  state: 'granted' | 'held' | 'leaving' | 'ended'
  /** Requests started whose results are neither committed nor refused. */
  inFlight: number
  /** Called once when nothing is in flight any more. */
  onIdle: (() => void)[]
}

/** The leases of a shard. */
export type Leases = {
  /** The lease under which a host may be crawled now; null if there is none. */
  ofHost(hostId: number): PartitionLease | null
  /** Whether a request may be sent; called right before it is. */
  mayBegin(lease: PartitionLease): boolean
  /** Maximum difference between the clocks of the workers that write host times. */
  readonly clockMarginMs: number
}

export function createPartitionLease(partition: number, epoch: number, recovered: boolean): PartitionLease {
  return { partition, epoch, recovered, isPermanent: false, state: 'granted', inFlight: 0, onIdle: [] }
}

export function createPermanentLease(): PartitionLease {
  return { ...createPartitionLease(0, 0, false), isPermanent: true, state: 'held' }
}

/** The leases of a shard that has its hosts to itself. */
export function createPermanentLeases(lease = createPermanentLease()): Leases {
  return { ofHost: () => lease, mayBegin: () => true, clockMarginMs: 0 }
}

export function endInFlight(lease: PartitionLease, requests = 1): void {
  lease.inFlight -= requests
  if (lease.inFlight === 0 && lease.onIdle.length > 0) for (const notify of lease.onIdle.splice(0)) notify()
}

/** Resolves when the lease has nothing in flight. */
export function whenIdle(lease: PartitionLease): Promise<void> {
  if (lease.inFlight === 0) return Promise.resolve()
  return new Promise((resolve) => lease.onIdle.push(resolve))
}
