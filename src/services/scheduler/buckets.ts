import { createHeapArena } from './heap-arena.ts'
import type { Policy } from './policy.ts'
import { grown } from './slot-table.ts'

/** How much one user or one host may have: so many checks a second after a burst, and so many at the same time. */
export type Budget = { perSecond: number; burst: number; maxInFlight: number }

export type BucketKind = 'user' | 'host'

/**
 * The budgets in use, each a token bucket with a count of what is out, and the watches that it holds: a heap of each
 * lane, and whose turn it is among them. A bucket lives as long as some watch refers to it.
 *
 * A bucket that lacks a token is woken when the token comes (`arm`); one that has too many out is seen to when one
 * comes back. Who goes without asking (`check now`) may put it into debt, down to a burst.
 */
export type Buckets = {
  /** One more reference to the bucket of this name; -1 where its kind has no budget. */
  acquire(kind: BucketKind, name: string): number
  retain(bucket: number): void
  release(bucket: number): void
  /** When it lets the next one go: at or before `now` for at once, infinite while too many are out. */
  freeAt(bucket: number, now: number): number
  charge(bucket: number, now: number): void
  /** Whether somebody has been charged who is not out yet: there may be one. */
  isClaimed(bucket: number): boolean
  setClaimed(bucket: number, claimed: boolean): void
  comesBack(bucket: number): void
  /** Whether it holds any watch. */
  holds(bucket: number): boolean
  /** The lane whose turn it is; one of them must have somebody. */
  nextLane(bucket: number): number
  rootOf(bucket: number, queue: number): number
  setRoot(bucket: number, queue: number, root: number): void
  kindOf(bucket: number): BucketKind
  arm(bucket: number, at: number): void
  /** A bucket whose token has come, once; -1 for none. */
  popAwake(now: number): number
  /** Infinite where none is armed. */
  nextAwakeAt(): number
}

export type BucketsOptions = { perUser: Budget | null; perHost: Budget | null; policy: Policy }

/** Tokens are fractions of seconds times rates: a token that lacks this much is there. */
const ROUNDING = 1e-6

export function createBuckets({ perUser, perHost, policy }: BucketsOptions): Buckets {
  const { queues, memory } = policy
  const budgets = { user: perUser, host: perHost }
  const numbers = { user: new Map<string, number>(), host: new Map<string, number>() }
  let room = 16
  let end = 0
  const free: number[] = []
  const names: string[] = []
  /** 0 a user, 1 a host. */
  let kinds = new Uint8Array(room)
  let references = new Int32Array(room)
  let out = new Int32Array(room)
  let tokens = new Float64Array(room)
  let filledAt = new Float64Array(room)
  let roots = new Int32Array(room * queues)
  let turns = new Float64Array(room * memory)
  let armed = new Uint8Array(room)
  let claimed = new Uint8Array(room)
  const heap = createHeapArena({ capacity: room, breaksTie: (a, b) => a < b })
  let wakeRoot = -1
  const waiting = new Uint8Array(queues)

  const kindOf = (bucket: number): BucketKind => (kinds[bucket] === 0 ? 'user' : 'host')
  const budgetOf = (bucket: number): Budget => (kinds[bucket] === 0 ? perUser : perHost)!

  function grow(): void {
    room *= 2
    kinds = grown(kinds, room)
    references = grown(references, room)
    out = grown(out, room)
    tokens = grown(tokens, room)
    filledAt = grown(filledAt, room)
    roots = grown(roots, room * queues)
    turns = grown(turns, room * memory)
    armed = grown(armed, room)
    claimed = grown(claimed, room)
    heap.grow(room)
  }

  function open(kind: BucketKind, name: string, budget: Budget): number {
    if (free.length === 0 && end === room) grow()
    const bucket = free.pop() ?? end++
    names[bucket] = name
    kinds[bucket] = kind === 'user' ? 0 : 1
    references[bucket] = 0
    out[bucket] = 0
    tokens[bucket] = budget.burst
    filledAt[bucket] = Number.NEGATIVE_INFINITY
    roots.fill(-1, bucket * queues, (bucket + 1) * queues)
    turns.fill(0, bucket * memory, (bucket + 1) * memory)
    armed[bucket] = 0
    claimed[bucket] = 0
    numbers[kind].set(name, bucket)
    return bucket
  }

  function fill(bucket: number, now: number, { perSecond, burst }: Budget): void {
    const gained = ((now - filledAt[bucket]!) * perSecond) / 1000
    // Nothing is gained in no time, at whatever rate.
    if (gained > 0) tokens[bucket] = Math.min(burst, tokens[bucket]! + gained)
    filledAt[bucket] = now
  }

  function disarm(bucket: number): void {
    if (armed[bucket] === 0) return
    armed[bucket] = 0
    wakeRoot = heap.remove(wakeRoot, bucket)
  }

  return {
    acquire(kind, name) {
      const budget = budgets[kind]
      if (budget === null || name === '') return -1
      const bucket = numbers[kind].get(name) ?? open(kind, name, budget)
      references[bucket] = references[bucket]! + 1
      return bucket
    },
    retain(bucket) {
      references[bucket] = references[bucket]! + 1
    },
    release(bucket) {
      references[bucket] = references[bucket]! - 1
      if (references[bucket]! > 0) return
      disarm(bucket)
      numbers[kindOf(bucket)].delete(names[bucket]!)
      names[bucket] = ''
      free.push(bucket)
    },
    freeAt(bucket, now) {
      const budget = budgetOf(bucket)
      if (out[bucket]! >= budget.maxInFlight) return Number.POSITIVE_INFINITY
      if (budget.perSecond === Number.POSITIVE_INFINITY) return now
      fill(bucket, now, budget)
      const lacking = 1 - tokens[bucket]!
      return lacking < ROUNDING ? now : now + (lacking * 1000) / budget.perSecond
    },
    charge(bucket, now) {
      const budget = budgetOf(bucket)
      out[bucket] = out[bucket]! + 1
      if (budget.perSecond === Number.POSITIVE_INFINITY) return
      fill(bucket, now, budget)
      tokens[bucket] = Math.max(-budget.burst, tokens[bucket]! - 1)
    },
    isClaimed: (bucket) => claimed[bucket] === 1,
    setClaimed(bucket, isClaimed) {
      claimed[bucket] = isClaimed ? 1 : 0
    },
    comesBack(bucket) {
      out[bucket] = out[bucket]! - 1
    },
    holds(bucket) {
      for (let queue = 0; queue < queues; queue++) if (roots[bucket * queues + queue] !== -1) return true
      return false
    },
    nextLane(bucket) {
      for (let queue = 0; queue < queues; queue++) waiting[queue] = roots[bucket * queues + queue] === -1 ? 0 : 1
      const queue = policy.pick(waiting, turns, bucket * memory)
      policy.took(queue, turns, bucket * memory)
      return queue
    },
    rootOf: (bucket, queue) => roots[bucket * queues + queue]!,
    setRoot(bucket, queue, root) {
      roots[bucket * queues + queue] = root
    },
    kindOf,
    arm(bucket, at) {
      if (armed[bucket] === 1 || at === Number.POSITIVE_INFINITY) return
      armed[bucket] = 1
      wakeRoot = heap.push(wakeRoot, bucket, at)
    },
    popAwake(now) {
      const bucket = wakeRoot
      if (bucket === -1 || heap.keyOf(bucket) > now) return -1
      armed[bucket] = 0
      wakeRoot = heap.pop(bucket)
      return bucket
    },
    nextAwakeAt: () => (wakeRoot === -1 ? Number.POSITIVE_INFINITY : heap.keyOf(wakeRoot)),
  }
}
