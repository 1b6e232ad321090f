/** Hosts for an administrator: unhealthy ones first, then those with the most to do. Safe during a crawl. */
export type HostView = {
  hosts(query: HostQuery): Promise<HostReport[]>
  close(): void
}

export type HostQuery = {
  /** Part of the name; empty for all. */
  q: string
  /** After this position; null from the start. */
  after: HostPosition | null
  limit: number
}

/** Given up, resting, slow, fine: in this order. */
export const hostHealths = ['given-up', 'resting', 'slow', 'fine'] as const
export type HostHealth = (typeof hostHealths)[number]

/** A host's position in the list. */
export type HostPosition = { health: HostHealth; queued: number; host: string }

export type HostReport = HostPosition & {
  /** In a row. */
  failures: number
  /** Wall clock; 0 where it may be asked at once. */
  nextAt: number
  documents: number
  /** Documents whose last request failed; of a host with very many, of a part of them. */
  failing: number
}
