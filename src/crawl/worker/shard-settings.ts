import type { Clock } from '../../core/clock.ts'
import type { Check } from '../../core/request.ts'
import type { DocumentStore } from '../../store/contracts/documents.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { PolitenessRules } from '../frontier/politeness.ts'
import type { CrawlStats } from './crawl-stats.ts'
import type { LinkPipe } from './link-pipe.ts'
import type { Partitions } from './partition-leases.ts'
import type { ReadOptions } from './read-response.ts'
import type { RobotsGate } from './robots-gate.ts'
import type { ShardStats, SharedCounters } from './shared-counters.ts'
import type { Watches } from './watches.ts'

/** What a shard works with. */
export type ShardDeps = {
  store: FrontierStore
  documents: DocumentStore
  fetcher: Fetcher
  gate: RobotsGate | null
  pipe: LinkPipe
  counters: SharedCounters
  stats: ShardStats
  crawlStats: CrawlStats
  clock: Clock
  watches: Watches
  /** There may be news of watches. */
  onResults(): void
  /** Where partitions come and go. */
  partitions?: Partitions
  /** Learns of the watch, should the errand be of a later round than what is known of it. */
  learn?(check: Check): Promise<void>
  /** Tells others the news of watches, before the requests they come from are done. */
  sendResults?(): Promise<void>
  /** Where a request would connect to; empty where that can't be told. */
  addressOf(url: string): Promise<string>
  log(level: 'debug' | 'info' | 'warn', message: string, fields?: Record<string, unknown>): void
}

export type ShardSettings = {
  rules: PolitenessRules
  perHost: number
  perAddress: number
  fetchers: number
  keeping: Keeping
  bufferRows: number
  maxAttempts: number
  maxRedirects: number
  maxCrawlDelayMs: number
  looksBack: boolean
  fullCheckAfter: number
  reading: ReadOptions
  agent: string
}

/** How results are gathered before they are kept, and how much may wait for that beside what is being fetched. */
export type Keeping = {
  maxItems: number
  maxWaitMs: number
  /** Where partitions are written for one by one: so much longer for each of the others that wait. */
  waitMsForEach: number
  parallel: number
  unkept: { maxItems: number; maxBytes: number } | null
}
