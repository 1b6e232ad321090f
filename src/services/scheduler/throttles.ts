import { type BucketKind, type Budget, createBuckets } from './buckets.ts'
import type { HeapArena } from './heap-arena.ts'
import type { Policy } from './policy.ts'
import { grown } from './slot-table.ts'
import { maxPayers } from './watch.ts'
import type { WatchColumns } from './watch-columns.ts'

/**
 * Which watch may go as far as budgets are concerned, and who waits for which budget.
 *
 * A watch needs a place at its host and one of its users who can pay. Where one of them has nothing left, the watch is
 * held there. The promise that nobody is forgotten: a budget that holds watches has too many out (then one comes
 * back), or lacks a token (then it is armed), or has let some of its watches go to the ready lanes; and whenever a watch
 * leaves the ready lanes, for whatever reason, all its budgets are looked at again (`lookAgain`).
 *
 * A watch that finds its user able to pay but its host busy claims what it needs of the user, one watch of a user at a time,
 * and has it when its turn at the host comes. Without that it could be sent from one to the other for ever, always
 * finding somebody else served. Nobody claims a host: one user's empty purse must not keep a host from others.
 *
 * Where several lanes wait for one budget they take turns there as the policy wants it, or a busy host would be gold's
 * alone. Whoever's turn it is goes in place of the best that waits there, on that one's lane: it must not wait a second
 * time for a turn that it has had, and takes nothing from others but what the best would have taken.
 */
export type Holds = {
  assign(slot: number, host: string, payers: readonly string[]): void
  unassign(slot: number): void
  /** The budget that the watch must wait for; -1 where it may go. */
  blockerOf(slot: number, now: number): number
  hold(slot: number, blocker: number, queue: number, rank: number, now: number): void
  /** Takes a held watch out. */
  letGo(slot: number, queue: number): void
  /** Gives back what it has claimed, since it does not go now. */
  giveUp(slot: number, now: number): void
  /** It goes: its host and one of its users are charged. */
  charge(slot: number, now: number): void
  /** What was charged is no longer out. */
  comesBack(slot: number, now: number): void
  lookAgain(slot: number, now: number): void
  /** Sees to the budgets whose tokens have come. */
  wake(now: number): void
  /** Infinite where none is armed. */
  nextAwakeAt(): number
  holderKind(slot: number): BucketKind
}

export type HoldsOptions = {
  heap: HeapArena
  columns: WatchColumns
  perUser: Budget | null
  perHost: Budget | null
  policy: Policy
  /** A held watch was taken out and may compete again, on this lane and with this rank. */
  onFree(slot: number, queue: number, rank: number): void
}

export function createHolds({ heap, columns, perUser, perHost, policy, onFree }: HoldsOptions): Holds {
  const buckets = createBuckets({ perUser, perHost, policy })
  const lists = createPayerLists()
  /**
   * Who was charged for a watch that is out, or that has a claim. Each holds a reference, for the watch may change hands
   * meanwhile.
   */
  const charged = new Map<number, { host: number; user: number }>()

  function payer(slot: number, now: number): number {
    const first = columns.payers[slot]!
    for (let at = first; at !== -1; at = lists.next(at)) {
      if (buckets.freeAt(lists.bucket(at), now) <= now) return lists.bucket(at)
    }
    return -1
  }

  /** Of users who cannot pay, the one who can soonest. */
  function soonestPayer(slot: number, now: number): number {
    let best = -1
    let bestAt = Number.POSITIVE_INFINITY
    for (let at = columns.payers[slot]!; at !== -1; at = lists.next(at)) {
      const freeAt = buckets.freeAt(lists.bucket(at), now)
      if (best !== -1 && freeAt >= bestAt) continue
      best = lists.bucket(at)
      bestAt = freeAt
    }
    return best
  }

  function claim(slot: number, now: number): void {
    for (let at = columns.payers[slot]!; at !== -1; at = lists.next(at)) {
      const user = lists.bucket(at)
      if (buckets.isClaimed(user) || buckets.freeAt(user, now) > now) continue
      buckets.retain(user)
      buckets.charge(user, now)
      buckets.setClaimed(user, true)
      charged.set(slot, { host: -1, user })
      return
    }
  }

  function chargeHost(slot: number, now: number): number {
    const host = columns.host[slot]!
    if (host === -1) return -1
    buckets.retain(host)
    buckets.charge(host, now)
    return host
  }

  /** The first who can pay, or else the first. */
  function chargeUser(slot: number, now: number): number {
    const first = columns.payers[slot]!
    if (first === -1) return -1
    const able = payer(slot, now)
    const user = able === -1 ? lists.bucket(first) : able
    buckets.retain(user)
    buckets.charge(user, now)
    return user
  }

  function comesBack(slot: number, now: number): void {
    const who = charged.get(slot)
    if (who === undefined) return
    charged.delete(slot)
    for (const bucket of [who.host, who.user]) {
      if (bucket === -1) continue
      buckets.comesBack(bucket)
      seeTo(bucket, now)
      buckets.release(bucket)
    }
  }

  /** Lets one go if the budget has something left. The next follows when that one has left the ready lanes. */
  function seeTo(bucket: number, now: number): void {
    if (!buckets.holds(bucket)) return
    const freeAt = buckets.freeAt(bucket, now)
    if (freeAt > now) {
      buckets.arm(bucket, freeAt)
      return
    }
    let best = 0
    while (buckets.rootOf(bucket, best) === -1) best++
    const rank = heap.keyOf(buckets.rootOf(bucket, best))
    const queue = buckets.nextLane(bucket)
    const slot = buckets.rootOf(bucket, queue)
    buckets.setRoot(bucket, queue, heap.pop(slot))
    onFree(slot, best, Math.min(rank, heap.keyOf(slot)))
  }

  return {
    assign(slot, host, payers) {
      columns.host[slot] = buckets.acquire('host', host)
      let list = -1
      for (const name of payers.slice(0, maxPayers).toReversed()) {
        const bucket = buckets.acquire('user', name)
        if (bucket !== -1) list = lists.prepend(list, bucket)
      }
      columns.payers[slot] = list
    },
    unassign(slot) {
      if (columns.host[slot] !== -1) buckets.release(columns.host[slot]!)
      for (let at = columns.payers[slot]!; at !== -1; at = lists.drop(at)) buckets.release(lists.bucket(at))
      columns.host[slot] = -1
      columns.payers[slot] = -1
    },
    blockerOf(slot, now) {
      const host = columns.host[slot]!
      if (host !== -1 && buckets.freeAt(host, now) > now) return host
      if (columns.payers[slot] === -1 || charged.has(slot) || payer(slot, now) !== -1) return -1
      return soonestPayer(slot, now)
    },
    hold(slot, blocker, queue, rank, now) {
      if (blocker === columns.host[slot] && !charged.has(slot)) claim(slot, now)
      columns.heldBy[slot] = blocker
      buckets.setRoot(blocker, queue, heap.push(buckets.rootOf(blocker, queue), slot, rank))
    },
    letGo(slot, queue) {
      const holder = columns.heldBy[slot]!
      buckets.setRoot(holder, queue, heap.remove(buckets.rootOf(holder, queue), slot))
    },
    charge(slot, now) {
      const host = chargeHost(slot, now)
      const claimed = charged.get(slot)
      if (claimed !== undefined) buckets.setClaimed(claimed.user, false)
      const user = claimed === undefined ? chargeUser(slot, now) : claimed.user
      if (host !== -1 || user !== -1) charged.set(slot, { host, user })
    },
    comesBack,
    giveUp(slot, now) {
      const claimed = charged.get(slot)
      if (claimed === undefined) return
      buckets.setClaimed(claimed.user, false)
      comesBack(slot, now)
    },
    lookAgain(slot, now) {
      if (columns.host[slot] !== -1) seeTo(columns.host[slot]!, now)
      for (let at = columns.payers[slot]!; at !== -1; at = lists.next(at)) seeTo(lists.bucket(at), now)
    },
    wake(now) {
      for (let bucket = buckets.popAwake(now); bucket !== -1; bucket = buckets.popAwake(now)) seeTo(bucket, now)
    },
    nextAwakeAt: buckets.nextAwakeAt,
    holderKind: (slot) => buckets.kindOf(columns.heldBy[slot]!),
  }
}

/** Chains of users, in two columns: most watches have one user, some have many. */
function createPayerLists() {
  let bucketOf = new Int32Array(16)
  let nextOf = new Int32Array(16)
  let end = 0
  let firstFree = -1
  return {
    bucket: (node: number): number => bucketOf[node]!,
    next: (node: number): number => nextOf[node]!,
    prepend(list: number, bucket: number): number {
      let node = firstFree
      if (node !== -1) firstFree = nextOf[node]!
      else {
        if (end === bucketOf.length) {
          bucketOf = grown(bucketOf, end * 2)
          nextOf = grown(nextOf, end * 2)
        }
        node = end++
      }
      bucketOf[node] = bucket
      nextOf[node] = list
      return node
    },
    /** Frees a node; answers with the one behind it. */
    drop(node: number): number {
      const following = nextOf[node]!
      nextOf[node] = firstFree
      firstFree = node
      return following
    },
  }
}
