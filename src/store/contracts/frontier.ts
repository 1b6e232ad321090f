import type { CheckResult } from '../../core/check-order.ts'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import type { DroppedLinks } from './dropped-links.ts'

/**
 * The frontier of one shard: which URLs were ever seen, which still wait, and when each host may be asked again.
 *
 * A URL is unseen, queued, or done (for the current run). `offer` moves it from unseen to queued, `settle` from queued
 * to done or back to the end of its queue. Fetching a request changes nothing here: a process that dies leaves its
 * in-flight requests queued. A new run makes everything unseen again without touching a row.
 *
 * All methods take batches. An engine may keep what it likes in memory, but not more with more URLs.
 */
export type FrontierStore = {
  /** True when the last holder of this host was killed: requests may have been in flight then. */
  recoveredOf(hostId: number): boolean
  /**
   * Accepts links of any host. How they reach the shard that owns them is the engine's business; when the promise
   * resolves, every owner has them durably. Links that are known for this run are dropped, unless they come with
   * a greater depth than before: then they are queued once more. A known link that still waits and `rises` moves ahead in its queue.
   */
  offer(offers: readonly Offer[]): Promise<OfferCounts>
  /**
   * One step of the crawl, in this order: the offers are accepted by their owners, then the requests they came from
   * are done, and the clocks of the hosts kept. A crash in between repeats the requests and loses nothing.
   */
  settle(batch: CompletedRequests): Promise<CompletionCounts>
  /** Hosts of this shard with queued requests, the ones that may be asked soonest first, without those of `except`. */
  hosts(limit: number, except: ReadonlySet<number>): Promise<HostState[]>
  /** The next requests of a host's queue behind `after` (or from its head), in order. */
  next(hostId: number, after: QueuePosition | null, limit: number): Promise<QueuedRequest[]>
  /**
   * Gives up a host for this run: its queue is emptied, later offers for it are dropped. A watch that begins a check there
   * takes that back. Returns how many went, and of which watches. A store that is shared keeps what `newsOf` says of these in the
   * same step, so that a reader who finds nothing queued also finds the reason.
   */
  giveUp(
    hostId: number,
    newsOf?: (watches: ReadonlyMap<number, number>) => readonly CheckResult[],
  ): Promise<{ dropped: number; watches: Map<number, number> }>
  /** Adds to the links that the trap limits dropped, of any host of this shard. */
  noteDropped(drops: readonly DroppedLinks[]): Promise<void>
  /** Requests that each watch has queued in this shard. */
  watches(): Promise<Map<number, number>>
  loadRobots(origin: string): Promise<KeptRobots | null>
  saveRobots(origin: string, robots: KeptRobots): Promise<void>
  /** Whether an origin offers tables beside its documents; null where that is not known. */
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
  /** To be tried again: back to the end of their queue with `attempts` as given. */
  again: readonly QueuedRequest[]
  hosts: readonly HostClock[]
}

/** Every offer counts under one of the first three. */
export type OfferCounts = {
  accepted: number
  known: number
  /** Refused, since the host has had as many URLs as the limit allows or was given up. */
  limited: number
  /** How many more requests (or fewer) each watch has queued now, over all shards. */
  watches: Map<number, number>
}

/**
 * `removed`: rows that left the queue, whether done or put back at its end. `lost`: partitions of which nothing was completed, since their
 * lease is lost; where that is true of all in a batch, it fails with `lease-lost` instead.
 */
export type CompletionCounts = OfferCounts & { removed: number; lost?: readonly number[] }

/** What must survive a restart for a host to be treated politely. */
export type HostClock = {
  id: number
  /** Wall clock, ms: no request before. */
  nextAt: number
  /** Failures in a row. */
  failures: number
  /** Rests taken since the last success. */
  rests: number
}

export type HostState = HostClock & { host: string; queued: number }

/** `raised`: rows that were queued before and have another priority now. */
export type Arrival = { state: HostState; rows: readonly QueuedRequest[]; raised?: readonly QueuedRequest[] }

/** `body`: the bytes as they came. In any text form, rules with octets that are not UTF-8 would be lost. */
export type KeptRobots = { kind: 'rules' | 'allow-all' | 'disallow-all'; body: Uint8Array; expiresAt: number }

/** `wrong`: it offered some, and they were not worth asking for. */
export type KeptTables = { kind: 'offered' | 'none' | 'wrong'; expiresAt: number }

export type FrontierCounts = { queued: number; seen: number; hosts: number; givenUp: number }
