import type { CheckResult } from '../../../core/check-order.ts'
import type { Offer } from '../../../core/request.ts'

/** Notifications between processes. One may get lost; what it is about is in the tables. */
export type ClusterEvents = {
  /** `payload` is null when notifications may have been missed: read again. Returns how to stop listening. */
  listen(channel: string, handler: (payload: string | null) => void): () => void
  notify(channel: string, payload?: string): Promise<void>
  close(): Promise<void>
}

/** Results of checks, from workers to the leader of the scheduler. */
export type CheckResultStore = {
  put(results: readonly CheckResult[]): Promise<void>
  /**
   * The oldest ones, which are removed, except for their sum: see `progress`. Refused (`lease-lost`) once another process leads.
   * Everything put before the call is taken, up to the limit.
   */
  take(leaderEpoch: number, limit: number): Promise<CheckResult[]>
  /**
   * The sums of what was taken of checks and crawls that are not noted as over: what a leader knew that died. Of what is queued nothing
   * is said.
   */
  progress(): Promise<CheckResult[]>
  /**
   * Requests that these watches have queued, over all partitions; null for all that have any. It is what holds, whatever
   * news got lost with a worker or were told twice.
   */
  queued(watches: readonly number[] | null): Promise<Map<number, number>>
}

/** Checks that a user wants now. Any process writes them down; the leader of the scheduler reads them. */
export type AskedStore = {
  ask(watches: readonly number[]): Promise<void>
  /** All of them, which are removed. Refused (`lease-lost`) once another process leads. */
  take(leaderEpoch: number): Promise<number[]>
}

/** Requests that checks of watched sources begin with, by the leader of the scheduler. */
export type CheckStore = {
  /** Returns how many more requests each watch has by it. Refused (`lease-lost`) once another process leads. */
  offer(leaderEpoch: number, offers: readonly Offer[]): Promise<Map<number, number>>
}

/** How the leader fares, for the others to show: opaque here. */
export type ScheduleStats = {
  put(leaderEpoch: number, stats: unknown): Promise<void>
  /** Null before anybody led. */
  read(): Promise<unknown>
}
