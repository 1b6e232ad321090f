/**
 * The time for which a shard holds a partition. Host queues, and through them everything in flight, belong to the lease under which they
 * were opened: a partition that is lost and granted again comes with another lease.
 *
 * A lease is
 * - `granted`: the store does not know of it yet;
 * - `held`: its hosts are crawled;
 * - `leaving`: another worker wants the partition. Nothing new is begun; what is in flight is committed, then it is handed over;
 * - `ended`: handed over, or lost. Results that still come are refused: the next holder fetches these pages again.
 *
 * A permanent lease is `held` from the start of the shard to its end.
 */
export type PartitionLease = {
  readonly partition: number
  readonly epoch: number
  /** The holder before was killed: requests may have been on their way, and their results may be stored already. */
  readonly recovered: boolean
  /** No other worker can take over, so what can't be written here is never written. */
  readonly isPermanent: boolean
  state: 'granted' | 'held' | 'leaving' | 'ended'
  /** Requests that were begun and whose results are neither committed nor refused. */
  inFlight: number
  /** Called when nothing is in flight any more. */
  onIdle: (() => void)[]
}

/** The leases of a shard. */
export type Leases = {
  /** Under which a host may be crawled now; null for none. */
  ofHost(hostId: number): PartitionLease | null
  /** Asked right before a request is sent to a host. */
  mayBegin(lease: PartitionLease): boolean
  /** By how much the clocks of the workers that write the times of hosts may differ. */
  readonly clockMarginMs: number
}

export function createPartitionLease(partition: number, epoch: number, recovered: boolean): PartitionLease {
  return { partition, epoch, recovered, isPermanent: false, state: 'granted', inFlight: 0, onIdle: [] }
}

export function createPermanentLease(): PartitionLease {
  return { ...createPartitionLease(0, 0, false), isPermanent: true, state: 'held' }
}

/** Of a shard that shares its hosts with no other worker. */
export function createPermanentLeases(lease = createPermanentLease()): Leases {
  return { ofHost: () => lease, mayBegin: () => true, clockMarginMs: 0 }
}

export function endInFlight(lease: PartitionLease, requests = 1): void {
  lease.inFlight -= requests
  if (lease.inFlight === 0 && lease.onIdle.length > 0) for (const notify of lease.onIdle.splice(0)) notify()
}

/** Resolves when nothing of the lease is in flight. */
export function whenIdle(lease: PartitionLease): Promise<void> {
  if (lease.inFlight === 0) return Promise.resolve()
  return new Promise((resolve) => lease.onIdle.push(resolve))
}
