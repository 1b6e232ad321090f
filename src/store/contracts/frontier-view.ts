import type { DocumentKey } from './documents.ts'
import type { DroppedLinks, DroppedPosition } from './dropped-links.ts'
import type { KeptRobots } from './frontier.ts'

/** Reads the frontiers of all shards from outside. Safe during a crawl. */
export type FrontierView = {
  /** Null if the host has not been asked yet. */
  robots(origin: string): Promise<KeptRobots | null>
  host(host: string): Promise<ViewedHost | null>
  /** Whether the URL is queued; only the beginning of a very long queue is searched. */
  isQueued(key: DocumentKey): Promise<boolean>
  /** Links that the trap limits dropped, in order of host and rule. */
  dropped(after: DroppedPosition | null, limit: number): Promise<DroppedLinks[]>
  close(): void
}

export type ViewedHost = {
  queued: number
  /** Wall clock, ms: earliest time of the next request. */
  nextAt: number
  /** Consecutive failures. */
  failures: number
  rests: number
  givenUp: boolean
}
