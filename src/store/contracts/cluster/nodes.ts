/** The processes of a cluster, and what its operator wants of them. */
export type NodeStore = {
  /** Says that the node lives, and learns what is wanted. The first one enters it. */
  heartbeat(node: NodeSign): Promise<NodeOrders>
  list(): Promise<NodeReport[]>
  /** False where there is no such node. */
  drain(id: string, draining: boolean): Promise<boolean>
  /** For a node that ends in good order. */
  remove(id: string): Promise<void>
  /** Forgets those that gave no sign for so long. Returns how many. */
  forget(silentMs: number): Promise<number>
  pause(paused: boolean): Promise<void>
  isPaused(): Promise<boolean>
  /** By the leader of the scheduler: nothing is fetched while more is new than the annotation can take. Ignored while there is no leader. */
  hold(held: boolean): Promise<void>
  isHeld(): Promise<boolean>
}

export type NodeRole = 'serve' | 'worker' | 'crawl' | 'up'

export type NodeSign = {
  id: string
  /** What people call it; need not be unique. */
  name: string
  role: NodeRole
  host: string
  pid: number
  /** What the node wants to show; a worker shows `NodeStats`. */
  stats: Record<string, unknown>
}

export type NodeOrders = { draining: boolean; paused: boolean; held: boolean }

/** What a worker shows of itself. Counts are of this process since it began. */
export type NodeStats = {
  threads: number
  rssBytes: number
  /** The run that its shards work on, and the revision of its settings; 0 while it changes them. */
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
  /** Of the partitions that it holds. */
  queued: number
  seen: number
  inFlight: number
  activeHosts: number
  restingHosts: number
  /** Writes that came too late: the partition was another's by then. */
  refused: number
  /** Sent to the store by its shards, roughly. */
  statements: number
  sentBytes: number
  /** 1 while the store takes no writes of it. */
  paused: 0 | 1
  /** Tasks settled, and annotations that came of them. */
  tasks: number
  annotations: number
  lastError: string
  /** What it waits for, since when and why; empty if nothing. */
  waiting: string
  /** Over the last five seconds. */
  perSecond: number
  skipped: Readonly<Record<string, number>>
}

/** Times are ages by the database's clock. */
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
