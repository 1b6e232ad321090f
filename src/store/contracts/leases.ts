/**
 * Who may write. A partition belongs to one holder at a time, under an epoch that grows with every change of hands:
 * whoever holds an older epoch has lost the partition and its writes are refused.
 */
export type LeaseStore = {
  /** Takes the partitions for `holder`; throws `store-locked` with the present holder's name when they are taken. */
  acquire(holder: string): Promise<Lease>
}

export type Lease = {
  epoch: number
  /** How many shards share the partitions: shard `n` owns those that leave `n` when divided by it. */
  shards: number
  release(): Promise<void>
}
