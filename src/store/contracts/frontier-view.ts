import type { DocumentKey } from './documents.ts'
import type { DroppedLinks, DroppedPosition } from './dropped-links.ts'
import type { KeptRobots } from './frontier.ts'

/** Reads the frontiers of all shards from outside. Safe during a crawl. */
export type FrontierView = {
  /** Null where the host was not asked yet. */
  robots(origin: string): Promise<KeptRobots | null>
  host(host: string): Promise<ViewedHost | null>
  /** Whether the URL waits; of a very long queue only the beginning is read. */
  isQueued(key: DocumentKey): Promise<boolean>
  /** Links that the trap limits dropped, in order of host and rule. */
  dropped(after: DroppedPosition | null, limit: number): Promise<DroppedLinks[]>
  close(): void
}

export type ViewedHost = {
  queued: number
  /** Wall clock, ms: no request before. */
  nextAt: number
  /** In a row. */
  failures: number
  rests: number
  givenUp: boolean
}
