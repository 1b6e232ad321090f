import type { CheckResult } from '../../core/check-order.ts'
import type { Offer } from '../../core/request.ts'

/** Wakes others. A word may get lost on its way, never what it is about: that is in the tables. */
export type ClusterEvents = {
  /** `payload` is null when words may have been missed: look again. Returns how to stop listening. */
  listen(channel: string, handler: (payload: string | null) => void): () => void
  notify(channel: string, payload?: string): Promise<void>
  close(): Promise<void>
}

/** What workers tell the leader of the scheduler about watches. */
export type CheckResultStore = {
  put(results: readonly CheckResult[]): Promise<void>
  /**
   * The oldest ones, which are gone then, but for their sum: see `progress`. Refused (`lease-lost`) for whoever leads no more.
   * Whatever was put before the call is taken, up to the limit.
   */
  take(leaderEpoch: number, limit: number): Promise<CheckResult[]>
  /** The sums of what was taken of checks that are not noted as over: what a leader knew that died. Of what is queued nothing is said. */
  progress(): Promise<CheckResult[]>
  /**
   * Requests that these watches have queued, over all partitions; null for all that have any. It is what holds, whatever
   * news got lost with a worker or were told twice.
   */
  queued(watches: readonly number[] | null): Promise<Map<number, number>>
}

/** Checks that somebody wants now. Whichever process is asked writes it down, and whoever leads the scheduler reads it. */
export type AskedStore = {
  ask(watches: readonly number[]): Promise<void>
  /** All of them, which are gone then. Refused (`lease-lost`) for whoever leads no more. */
  take(leaderEpoch: number): Promise<number[]>
}

/** Requests that checks of watched sources begin with, by the leader of the scheduler. */
export type CheckStore = {
  /** Returns how many more requests each watch has by it. Refused (`lease-lost`) for whoever leads no more. */
  offer(leaderEpoch: number, offers: readonly Offer[]): Promise<Map<number, number>>
}

/** How the leader fares, for the others to show: opaque here. */
export type ScheduleStats = {
  put(leaderEpoch: number, stats: unknown): Promise<void>
  /** Null before anybody led. */
  read(): Promise<unknown>
}
