import { maxPayers } from '../watch.ts'
import type { Bucket, FairQueue, WatchEntry } from '../watch-entry.ts'
import { popNode, pushNode, removeNode } from './heap.ts'
import type { Policy } from './policy.ts'
import { fullTokens, type Rate, spendToken, tokenAt } from './token-bucket.ts'

/** Limits of one user or one host: a rate, and a number of concurrent checks. */
export type Budget = Rate & { maxInFlight: number }

/**
 * Whether budgets let a watch go, and which watch waits for which budget.
 *
 * A watch needs its host and one of its users to have budget left; it is held at the one that has none. Invariant, so
 * that no watch is forgotten: a budget that holds watches has too many out (then one comes back), or lacks a token
 * (then it is armed to wake up), or has moved one of its watches to the ready queues; and whenever a watch leaves the
 * ready queues, for any reason, all its budgets are checked again (`recheck`).
 *
 * A watch whose user can pay but whose host is busy charges the user in advance (a claim, one per user at a time) and
 * keeps the claim until its turn at the host. Otherwise it could move back and forth between the two forever, each time
 * finding that another watch was served. Hosts are never claimed: one user's empty budget must not block a host for others.
 *
 * If several queues wait for one budget they take turns as the policy decides, or a busy host would serve only gold.
 * The watch whose turn it is enters the ready queue with the queue and rank of the best one waiting there: it must not
 * wait twice for the same turn, and takes no more from others than the best one would have taken.
 */
export type Throttles = {
  assign(entry: WatchEntry, host: string, payers: readonly string[]): void
  unassign(entry: WatchEntry): void
  /** The budget the watch must wait for; null if it may go. */
  blockerOf(entry: WatchEntry, now: number): Bucket | null
  hold(entry: WatchEntry, blocker: Bucket, queue: number, rank: number, now: number): void
  /** Removes a held watch from its budget's queue. */
  release(entry: WatchEntry, queue: number): void
  /** Returns its claim, as it does not go now. */
  dropClaim(entry: WatchEntry, now: number): void
  /** Charges its host and one of its users when it goes. */
  charge(entry: WatchEntry, now: number): void
  /** The check is no longer out. */
  comeBack(entry: WatchEntry, now: number): void
  recheck(entry: WatchEntry, now: number): void
  /** Serves the budgets whose next token is available. */
  wake(now: number): void
  /** Infinite if no budget waits for a token. */
  nextAwakeAt(): number
}

export type ThrottlesOptions = {
  perUser: Budget | null
  perHost: Budget | null
  policy: Policy
  /** Called when a held watch is released and may compete again, in this queue and with this rank. */
  onFree(entry: WatchEntry, queue: number, rank: number): void
}

export function createFairQueue(policy: Policy): FairQueue {
  return {
    heaps: Array.from({ length: policy.queues }, () => []),
    turns: Array.from({ length: policy.memory }, () => 0),
  }
}

export function createThrottles({ perUser, perHost, policy, onFree }: ThrottlesOptions): Throttles {
  const budgets = { user: perUser, host: perHost }
  const buckets = { user: new Map<string, Bucket>(), host: new Map<string, Bucket>() }
  /** Heap of the buckets that wait for a token. */
  const armed: Bucket[] = []
  let created = 0

  const budgetOf = (bucket: Bucket): Budget => budgets[bucket.kind]!

  function open(kind: Bucket['kind'], name: string, budget: Budget): Bucket {
    const node = { id: created++, key: 0, heapIndex: -1 }
    const bucket = {
      ...node,
      ...fullTokens(budget),
      kind,
      name,
      references: 0,
      out: 0,
      claimed: false,
      load: 0,
      factor: 1,
      held: null,
    }
    buckets[kind].set(name, bucket)
    return bucket
  }

  /** Adds a reference to the bucket of this name; null if its kind has no budget. */
  function acquire(kind: Bucket['kind'], name: string): Bucket | null {
    const budget = budgets[kind]
    if (budget === null || name === '') return null
    const bucket = buckets[kind].get(name) ?? open(kind, name, budget)
    bucket.references++
    return bucket
  }

  function unref(bucket: Bucket): void {
    bucket.references--
    if (bucket.references > 0) return
    if (bucket.heapIndex !== -1) removeNode(armed, bucket)
    buckets[bucket.kind].delete(bucket.name)
  }

  /** When it lets the next one go: `now` for at once, infinite while too many are out. */
  function freeAt(bucket: Bucket, now: number): number {
    const budget = budgetOf(bucket)
    return bucket.out >= budget.maxInFlight ? Number.POSITIVE_INFINITY : tokenAt(bucket, budget, now)
  }

  function chargeBucket(bucket: Bucket, now: number): void {
    // The charge holds its own reference, as the owners of the watch may change meanwhile.
    bucket.references++
    bucket.out++
    spendToken(bucket, budgetOf(bucket), now)
  }

  function ablePayer(entry: WatchEntry, now: number): Bucket | undefined {
    return entry.payers.find((bucket) => freeAt(bucket, now) <= now)
  }

  /** The user who can pay soonest. */
  function soonestPayer(entry: WatchEntry, now: number): Bucket | null {
    let best: Bucket | null = null
    let bestAt = Number.POSITIVE_INFINITY
    for (const bucket of entry.payers) {
      const at = freeAt(bucket, now)
      if (best !== null && at >= bestAt) continue
      best = bucket
      bestAt = at
    }
    return best
  }

  function claim(entry: WatchEntry, now: number): void {
    const user = entry.payers.find((bucket) => !bucket.claimed && freeAt(bucket, now) <= now)
    if (user === undefined) return
    chargeBucket(user, now)
    user.claimed = true
    entry.charged = { host: null, user }
  }

  function comeBack(entry: WatchEntry, now: number): void {
    if (entry.charged === null) return
    const { host, user } = entry.charged
    entry.charged = null
    for (const bucket of [host, user]) {
      if (bucket === null) continue
      bucket.out--
      serve(bucket, now)
      unref(bucket)
    }
  }

  /** Lets one go if the budget has something left. The next follows when that one has left the ready queues. */
  function serve(bucket: Bucket, now: number): void {
    if (bucket.held === null) return
    const { heaps, turns } = bucket.held
    const best = heaps.findIndex((heap) => heap.length > 0)
    if (best === -1) return
    const at = freeAt(bucket, now)
    if (at > now) {
      if (bucket.heapIndex === -1 && at !== Number.POSITIVE_INFINITY) pushNode(armed, bucket, at)
      return
    }
    const rank = heaps[best]![0]!.key
    const queue = policy.pick(heaps, turns)
    policy.took(queue, turns)
    const entry = popNode(heaps[queue]!)!
    onFree(entry, best, Math.min(rank, entry.key))
  }

  return {
    assign(entry, host, payers) {
      entry.host = acquire('host', host)
      const able = payers.slice(0, maxPayers).map((name) => acquire('user', name))
      entry.payers = able.filter((bucket) => bucket !== null)
    },
    unassign(entry) {
      if (entry.host !== null) unref(entry.host)
      for (const bucket of entry.payers) unref(bucket)
      entry.host = null
      entry.payers = []
    },
    blockerOf(entry, now) {
      if (entry.host !== null && freeAt(entry.host, now) > now) return entry.host
      if (entry.payers.length === 0 || entry.charged !== null || ablePayer(entry, now) !== undefined) return null
      return soonestPayer(entry, now)
    },
    hold(entry, blocker, queue, rank, now) {
      if (blocker === entry.host && entry.charged === null) claim(entry, now)
      entry.heldBy = blocker
      blocker.held ??= createFairQueue(policy)
      pushNode(blocker.held.heaps[queue]!, entry, rank)
    },
    release(entry, queue) {
      removeNode(entry.heldBy!.held!.heaps[queue]!, entry)
    },
    charge(entry, now) {
      const { host } = entry
      if (host !== null) chargeBucket(host, now)
      const claimed = entry.charged?.user ?? null
      if (claimed !== null) claimed.claimed = false
      // The first who can pay, otherwise the first.
      const user = claimed ?? ablePayer(entry, now) ?? entry.payers[0] ?? null
      if (claimed === null && user !== null) chargeBucket(user, now)
      entry.charged = host === null && user === null ? null : { host, user }
    },
    comeBack,
    dropClaim(entry, now) {
      if (entry.charged === null) return
      if (entry.charged.user !== null) entry.charged.user.claimed = false
      comeBack(entry, now)
    },
    recheck(entry, now) {
      if (entry.host !== null) serve(entry.host, now)
      for (const bucket of entry.payers) serve(bucket, now)
    },
    wake(now) {
      while (armed.length > 0 && armed[0]!.key <= now) serve(popNode(armed)!, now)
    },
    nextAwakeAt: () => armed[0]?.key ?? Number.POSITIVE_INFINITY,
  }
}
