import type { CheckResult } from '../../../core/check-order.ts'
import type { Offer } from '../../../core/request.ts'

/** Notifications between processes. They may get lost; the data they announce is in the tables. */
export type ClusterEvents = {
  /** A null `payload` means that notifications may have been missed: read again. Returns a function that stops listening. */
  listen(channel: string, handler: (payload: string | null) => void): () => void
  notify(channel: string, payload?: string): Promise<void>
  close(): Promise<void>
}

/** Results of checks, from workers to the leader of the scheduler. */
export type CheckResultStore = {
  put(results: readonly CheckResult[]): Promise<void>
  /**
   * Removes and returns the oldest results; only their sums are kept: see `progress`. Refused (`lease-lost`) once another process leads.
   * Everything put before the call is taken, up to the limit.
   */
  take(leaderEpoch: number, limit: number): Promise<CheckResult[]>
  /**
   * Sums of the results taken so far for checks and crawls not recorded as over: what a leader that died knew. Queued requests are not
   * included.
   */
  progress(): Promise<CheckResult[]>
  /**
   * Number of requests these watches have queued, over all partitions; null for all watches that have any. Authoritative, even if
   * results were lost with a worker or reported twice.
   */
  queued(watches: readonly number[] | null): Promise<Map<number, number>>
}

/** Checks requested by users, to run now. Any process writes them; the leader of the scheduler reads them. */
export type AskedStore = {
  ask(watches: readonly number[]): Promise<void>
  /** Removes and returns all of them. Refused (`lease-lost`) once another process leads. */
  take(leaderEpoch: number): Promise<number[]>
}

/** The first requests of checks of watched sources, offered by the leader of the scheduler. */
export type CheckStore = {
  /** Returns the number of requests added per watch. Refused (`lease-lost`) once another process leads. */
  offer(leaderEpoch: number, offers: readonly Offer[]): Promise<Map<number, number>>
}

/** Stats of the leader, for other processes to show; opaque here. */
export type ScheduleStats = {
  put(leaderEpoch: number, stats: unknown): Promise<void>
  /** Null until a process has led. */
  read(): Promise<unknown>
}
