/**
 * Leases of the partitions that a shard of a cluster may work on. A partition has one holder at a time, under an epoch that grows with
 * every change of holder; writes for a partition carry the epoch, and those with an old one are refused.
 *
 * To its holder, a partition is
 * - held: since `granted`;
 * - wanted: others hold fewer. The holder finishes its requests in flight, takes nothing new, and calls `release`;
 * - lost: since `lost`. Reported before the lease ends if the holder notices in time that it could not renew it, else with the next
 *   heartbeat.
 *
 * All times are the database's, with one exception: how long the holder may rely on a lease that it could not renew is measured on its
 * own monotonic clock, from just before the last successful renewal was sent.
 */
export type PartitionLeases = {
  /** Unique per shard and process, even if their names are equal. */
  readonly holder: string
  /** Renews all leases, takes free partitions up to the fair share, and reports those wanted by others. */
  heartbeat(): Promise<LeaseBeat>
  /** Gives up leases that can't be renewed in time. Call it between heartbeats; it sends nothing. */
  expire(): void
  /** Starts periodic heartbeats and expiry checks. */
  start(): void
  /** The epoch under which the partition is held; null if it is not, or no longer for certain. */
  epochOf(partition: number): number | null
  held(): number[]
  /** Hands partitions over cleanly: everything in flight has been completed. */
  release(partitions: readonly number[]): Promise<void>
  /** Takes no more partitions and reports all held ones as wanted; false returns to normal. */
  drain(draining?: boolean): void
  /** Hands over all partitions and unregisters the holder. */
  leave(): Promise<void>
}

export type LeaseBeat = {
  /** Number of live holders that share the partitions. */
  live: number
  /** Maximum number of partitions per holder. */
  share: number
  held: number
  /** Number of other processes with the same name. */
  twins: number
}

export type PartitionGrant = {
  partition: number
  epoch: number
  /** The last holder did not hand it over cleanly: requests may have been in flight. */
  recovered: boolean
}

export type LeaseListener = {
  granted(grants: readonly PartitionGrant[]): void
  wanted(partitions: readonly number[]): void
  lost(partitions: readonly number[]): void
}

/** Lease of a role that one process at a time holds, such as the scheduler's. Fenced by its epoch, like partitions. */
export type LeaderLease = {
  /** Acquires or renews it. */
  beat(): Promise<LeaderBeat>
  /** Null if it is not held, or no longer for certain. */
  epoch(): number | null
  release(): Promise<void>
}

export type LeaderBeat = { kind: 'leads'; epoch: number; changed: boolean } | { kind: 'follows'; leader: string }
