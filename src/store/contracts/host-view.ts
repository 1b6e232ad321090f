/** Hosts for an administrator: unhealthy ones first, then those with the longest queues. Safe during a crawl. */
export type HostView = {
  hosts(query: HostQuery): Promise<HostReport[]>
  close(): void
}

export type HostQuery = {
  /** Part of the name; empty for all. */
  q: string
  /** Start after this position; null for the beginning. */
  after: HostPosition | null
  limit: number
}

/** Worst first. */
export const hostHealths = ['given-up', 'resting', 'slow', 'fine'] as const
export type HostHealth = (typeof hostHealths)[number]

/** A host's position in the list. */
export type HostPosition = { health: HostHealth; queued: number; host: string }

export type HostReport = HostPosition & {
  /** Consecutive failures. */
  failures: number
  /** Wall clock: earliest time of the next request; 0 for at once. */
  nextAt: number
  documents: number
  /** Documents whose last request failed; for a host with very many documents, only some of them are counted. */
  failing: number
}
