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
}

export type NodeRole = 'serve' | 'worker' | 'crawl' | 'up'

export type NodeSign = {
  id: string
  /** What people call it; need not be unique. */
  name: string
  role: NodeRole
  host: string
  pid: number
  /** Whatever the node wants to show: pages, errors, queue. */
  figures: Record<string, unknown>
}

export type NodeOrders = { draining: boolean; paused: boolean }

/** Times are ages by the database's clock. */
export type NodeReport = NodeSign & { startedMsAgo: number; seenMsAgo: number; draining: boolean; partitions: number }
