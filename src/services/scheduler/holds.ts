import { type BucketKind, type Budget, createBuckets } from './buckets.ts'
import type { HeapArena } from './heap-arena.ts'
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
 */
export type Holds = {
  assign(slot: number, host: string, payers: readonly string[]): void
  unassign(slot: number): void
  /** The budget that the watch must wait for; -1 where it may go. */
  blockerOf(slot: number, now: number): number
  hold(slot: number, blocker: number, lane: number, rank: number): void
  /** Takes a held watch out. */
  letGo(slot: number, lane: number): void
  /** Charges its host and a user, the first who can pay, or else the first. */
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
  lanes: number
  /** A held watch was taken out and may compete again. */
  onFree(slot: number): void
}

export function createHolds({ heap, columns, perUser, perHost, lanes, onFree }: HoldsOptions): Holds {
  const buckets = createBuckets({ perUser, perHost, lanes })
  const lists = createPayerLists()
  /** Who was charged for a watch that is out; it holds a reference, for the watch may change hands meanwhile. */
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

  function seeTo(bucket: number, now: number): void {
    if (!holdsAny(bucket)) return
    const freeAt = buckets.freeAt(bucket, now)
    if (freeAt > now) {
      buckets.arm(bucket, freeAt)
      return
    }
    for (let lane = 0; lane < lanes; lane++) {
      const slot = buckets.rootOf(bucket, lane)
      if (slot === -1) continue
      buckets.setRoot(bucket, lane, heap.pop(slot))
      onFree(slot)
    }
  }

  function holdsAny(bucket: number): boolean {
    for (let lane = 0; lane < lanes; lane++) if (buckets.rootOf(bucket, lane) !== -1) return true
    return false
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
      return columns.payers[slot] === -1 || payer(slot, now) !== -1 ? -1 : soonestPayer(slot, now)
    },
    hold(slot, blocker, lane, rank) {
      columns.heldBy[slot] = blocker
      buckets.setRoot(blocker, lane, heap.push(buckets.rootOf(blocker, lane), slot, rank))
    },
    letGo(slot, lane) {
      const holder = columns.heldBy[slot]!
      buckets.setRoot(holder, lane, heap.remove(buckets.rootOf(holder, lane), slot))
    },
    charge(slot, now) {
      const first = columns.payers[slot]!
      const able = payer(slot, now)
      const host = columns.host[slot]!
      const user = able === -1 && first !== -1 ? lists.bucket(first) : able
      if (host === -1 && user === -1) return
      charged.set(slot, { host, user })
      for (const bucket of [host, user]) {
        if (bucket === -1) continue
        buckets.retain(bucket)
        buckets.charge(bucket, now)
      }
    },
    comesBack(slot, now) {
      const who = charged.get(slot)
      if (who === undefined) return
      charged.delete(slot)
      for (const bucket of [who.host, who.user]) {
        if (bucket === -1) continue
        buckets.comesBack(bucket)
        seeTo(bucket, now)
        buckets.release(bucket)
      }
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
