/**
 * Which partitions a shard of a cluster may work on. A partition has one holder at a time, under an epoch that grows with every change
 * of hands; what is written for a partition names the epoch, and an old one is refused.
 *
 * A partition is, as its holder sees it,
 * - held: since `granted`;
 * - wanted: others have fewer. The holder goes on with what it has in hand, takes nothing new, and calls `release`;
 * - lost: since `lost`. Notified before the lease ends if the holder notices in time that it could not renew it, else with the next heartbeat.
 *
 * All times are the database's, but for one: how long the holder may count on a lease that it could not renew is measured on its own
 * steady clock, from the moment before the last renewal that succeeded was sent.
 */
export type PartitionLeases = {
  /** Different for every shard of every process, even if their names are equal. */
  readonly holder: string
  /** Renews everything, takes what is free up to the fair share, and gives notice of what the others want. */
  heartbeat(): Promise<LeaseBeat>
  /** Gives up what can't be renewed in time. To be called between heartbeats; sends nothing. */
  expire(): void
  /** Heartbeats and expires by itself from now on. */
  start(): void
  /** The epoch under which the partition is held; null where it is not, or not for certain any more. */
  epochOf(partition: number): number | null
  held(): number[]
  /** Hands partitions over, in good order: everything in flight is completed. */
  release(partitions: readonly number[]): Promise<void>
  /** From now on takes nothing and is asked for everything that it has; or is like everybody else again. */
  drain(draining?: boolean): void
  /** Hands over everything and says good-bye. */
  leave(): Promise<void>
}

export type LeaseBeat = {
  /** Holders that share the partitions. */
  live: number
  /** How many each may hold. */
  share: number
  held: number
  /** Other processes that go by the same name. */
  twins: number
}

export type PartitionGrant = {
  partition: number
  epoch: number
  /** The last holder did not hand it over: requests may have been in flight. */
  recovered: boolean
}

export type LeaseListener = {
  granted(grants: readonly PartitionGrant[]): void
  wanted(partitions: readonly number[]): void
  lost(partitions: readonly number[]): void
}

/** One role that one process at a time fills, such as the scheduler's. Fenced by its epoch as partitions are. */
export type LeaderLease = {
  /** Takes or renews it. */
  beat(): Promise<LeaderBeat>
  /** Null where it is not held, or not for certain any more. */
  epoch(): number | null
  release(): Promise<void>
}

export type LeaderBeat = { kind: 'leads'; epoch: number; changed: boolean } | { kind: 'follows'; leader: string }
