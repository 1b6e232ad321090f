/** The processes of a cluster, and the operator's orders for them. */
export type NodeStore = {
  /** Reports that the node is alive and returns its orders. The first heartbeat registers it. */
  heartbeat(node: NodeSign): Promise<NodeOrders>
  list(): Promise<NodeReport[]>
  /** False if there is no such node. */
  drain(id: string, draining: boolean): Promise<boolean>
  /** For a node that shuts down cleanly. */
  remove(id: string): Promise<void>
  /** Removes nodes without a heartbeat for `silentMs`. Returns how many. */
  forget(silentMs: number): Promise<number>
  pause(paused: boolean): Promise<void>
  isPaused(): Promise<boolean>
  /** Backpressure by the leader of the scheduler: no fetches while the annotation engine is behind. Ignored while there is no leader. */
  hold(held: boolean): Promise<void>
  isHeld(): Promise<boolean>
}

export type NodeRole = 'serve' | 'worker' | 'crawl' | 'up'

export type NodeSign = {
  id: string
  /** Display name; need not be unique. */
  name: string
  role: NodeRole
  host: string
  pid: number
  /** Stats to show; of a worker, `NodeStats`. */
  stats: Record<string, unknown>
}

export type NodeOrders = { draining: boolean; paused: boolean; held: boolean }

/** Stats of a worker. Counts are totals since this process started. */
export type NodeStats = {
  threads: number
  rssBytes: number
  /** The run its shards work on, and the revision of the run's settings; 0 while it switches. */
  run: number
  revision: number
  fetched: number
  stored: number
  unchanged: number
  duplicates: number
  failed: number
  redirects: number
  links: number
  bytes: number
  /** In the partitions it holds. */
  queued: number
  seen: number
  inFlight: number
  activeHosts: number
  restingHosts: number
  /** Writes that came too late: another holder had the partition by then. */
  refused: number
  /** Approximate traffic from its shards to the store. */
  statements: number
  sentBytes: number
  /** 1 while the store refuses its writes. */
  paused: 0 | 1
  /** Tasks settled, and annotations they produced. */
  tasks: number
  annotations: number
  lastError: string
  /** What it is waiting for, since when and why; empty if nothing. */
  waiting: string
  /** Average over the last five seconds. */
  perSecond: number
  skipped: Readonly<Record<string, number>>
}

/** Times are ages, measured by the database's clock. */
export type NodeReport = NodeSign & { startedMsAgo: number; seenMsAgo: number; draining: boolean; partitions: number }

/** The state of a cluster as a whole. */
export type ClusterFacts = {
  /** Partitions without a holder. */
  freePartitions: number
  paused: boolean
  /** No request is started because the annotation engine is behind. */
  held: boolean
  /** The leader of the scheduler; empty if there is none. */
  leader: string
  run: { id: number; finished: boolean } | null
}
