import type { CheckResult } from '../../core/check-order.ts'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import type { DroppedLinks } from './dropped-links.ts'

/**
 * The frontier of one shard: which URLs have been seen, which are still queued, and when each host may next be requested.
 *
 * A URL is unseen, queued, or done (for the current run). `offer` moves it from unseen to queued, `settle` from queued
 * to done or back to the end of its queue. Fetching a request changes nothing here: a process that dies leaves its
 * in-flight requests queued. A new run makes everything unseen again without touching a row.
 *
 * All methods take batches. An engine may cache in memory, but its memory must not grow with the number of URLs.
 */
export type FrontierStore = {
  /** True when the last holder of this host was killed: requests may have been in flight then. */
  recoveredOf(hostId: number): boolean
  /**
   * Accepts links of any host. How they reach the shard that owns them is up to the engine; when the promise
   * resolves, every owner has stored them durably. Links already seen in this run are dropped, unless they come with
   * a greater depth than before: then they are queued again. A known link that is still queued and `rises` moves ahead in its queue.
   */
  offer(offers: readonly Offer[]): Promise<OfferCounts>
  /**
   * One step of the crawl, in this order: the offers are accepted by their owners, then the requests they came from
   * are marked done and the host clocks saved. A crash in between repeats the requests and loses nothing.
   */
  settle(batch: CompletedRequests): Promise<CompletionCounts>
  /** Hosts of this shard with queued requests, earliest `nextAt` first, without those in `except`. */
  hosts(limit: number, except: ReadonlySet<number>): Promise<HostState[]>
  /** The next requests of a host's queue after `after` (or from its head), in order. */
  next(hostId: number, after: QueuePosition | null, limit: number): Promise<QueuedRequest[]>
  /**
   * Gives up a host for this run: its queue is emptied and later offers for it are dropped, until a watch begins a check there.
   * Returns the number of dropped requests, in total and per watch. A shared store records the results that `newsOf` returns for these
   * in the same transaction, so that a reader who finds nothing queued also finds the reason.
   */
  giveUp(
    hostId: number,
    newsOf?: (watches: ReadonlyMap<number, number>) => readonly CheckResult[],
  ): Promise<{ dropped: number; watches: Map<number, number> }>
  /** Records links of hosts of this shard that the trap limits dropped. */
  noteDropped(drops: readonly DroppedLinks[]): Promise<void>
  /** Number of requests each watch has queued in this shard. */
  watches(): Promise<Map<number, number>>
  loadRobots(origin: string): Promise<KeptRobots | null>
  saveRobots(origin: string, robots: KeptRobots): Promise<void>
  /** Whether an origin offers tables besides its documents; null if unknown. */
  loadTables(origin: string): Promise<KeptTables | null>
  saveTables(origin: string, tables: KeptTables): Promise<void>
  counts(): FrontierCounts
  /** Called after each accepted batch, from any shard, with the rows that are now queued in this one. */
  onArrival(listener: (arrivals: readonly Arrival[]) => void): void
  close(): Promise<void>
}

export type QueuePosition = { priority: number; seq: number }

export type CompletedRequests = {
  offers: readonly Offer[]
  done: readonly QueuedRequest[]
  /** To be retried: moved to the end of their queue with `attempts` as given. */
  again: readonly QueuedRequest[]
  hosts: readonly HostClock[]
}

/** Every offer counts as one of the first three. */
export type OfferCounts = {
  accepted: number
  known: number
  /** Refused, because the host reached its URL limit or was given up. */
  limited: number
  /** Change in the number of queued requests per watch, over all shards. */
  watches: Map<number, number>
}

/**
 * `removed`: rows that left the queue, whether done or put back at its end. `lost`: partitions of which nothing was completed, because
 * their lease is lost; if that is true of all partitions in a batch, it fails with `lease-lost` instead.
 */
export type CompletionCounts = OfferCounts & { removed: number; lost?: readonly number[] }

/** Politeness state of a host that must survive a restart. */
export type HostClock = {
  id: number
  /** Wall clock, ms: earliest time of the next request. */
  nextAt: number
  /** Consecutive failures. */
  failures: number
  /** Rests taken since the last success. */
  rests: number
}

export type HostState = HostClock & { host: string; queued: number }

/** `raised`: rows that were already queued and have a new priority. */
export type Arrival = { state: HostState; rows: readonly QueuedRequest[]; raised?: readonly QueuedRequest[] }

/** `body`: the bytes as received. Decoding to text would lose rules with octets that are not UTF-8. */
export type KeptRobots = { kind: 'rules' | 'allow-all' | 'disallow-all'; body: Uint8Array; expiresAt: number }

/** `wrong`: it offered tables that turned out not worth requesting. */
export type KeptTables = { kind: 'offered' | 'none' | 'wrong'; expiresAt: number }

export type FrontierCounts = { queued: number; seen: number; hosts: number; givenUp: number }
