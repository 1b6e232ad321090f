import type { ServiceLevel } from '../../../core/profile.ts'
import { serviceLevels } from '../watch.ts'
import { type Bucket, type StateName, stateNames, type WatchEntry } from '../watch-entry.ts'
import { popNode, pushNode, removeNode } from './heap.ts'
import type { Policy } from './policy.ts'
import { type Budget, createFairQueue, createThrottles, type Throttles } from './throttles.ts'

/**
 * Where watches are. Each is in one of these: the time queue (those that wait, and those that are out by the time at
 * which they count as lost), a ready queue, the queue of a budget that holds it, the queue of those asked for, or in
 * none (paused, shut). A caller that takes one out with `leave` or `popReady` must put it somewhere again.
 */
export type Queues = {
  readonly throttles: Throttles
  setAside(entry: WatchEntry, state: 'paused' | 'shut'): void
  enterTime(entry: WatchEntry, state: 'waiting' | 'closed' | 'out', at: number): void
  enterReady(entry: WatchEntry): void
  enterAsked(entry: WatchEntry, now: number): void
  enterHeld(entry: WatchEntry, blocker: Bucket, now: number): void
  leave(entry: WatchEntry, now: number): void
  /** The first whose time has come, still in the queue. */
  firstDue(now: number): WatchEntry | undefined
  /** Of those that wait, one of the first to come due. */
  firstWaiting(): WatchEntry | undefined
  /** Infinite where the time queue is empty. */
  nextDueAt(): number
  /** Takes the next from the queue whose turn it is. */
  popReady(): WatchEntry | undefined
  /** It goes: that was its queue's turn. A watch that was taken but has to wait is not counted. */
  tookTurn(entry: WatchEntry): void
  firstAsked(): WatchEntry | undefined
  /** How many of a level are in a state. */
  count(level: ServiceLevel, state: StateName): number
  total(state: StateName): number
  /** Changes the level of a watch that stays where it is. */
  changeLevel(entry: WatchEntry, level: ServiceLevel): void
}

export type QueuesOptions = {
  policy: Policy
  perUser: Budget | null
  perHost: Budget | null
  deadlineAt(entry: WatchEntry): number
}

/** How many of the time queue are looked at for one that waits, and is not out. */
const FIRST = 31

export function createQueues({ policy, perUser, perHost, deadlineAt }: QueuesOptions): Queues {
  const throttles = createThrottles({ perUser, perHost, policy, onFree })
  const timed: WatchEntry[] = []
  const asked: WatchEntry[] = []
  const ready = createFairQueue(policy)
  const counts = new Map(serviceLevels.map((level) => [level, new Map(stateNames.map((state) => [state, 0]))]))

  const count = (level: ServiceLevel, state: StateName): number => counts.get(level)!.get(state)!

  function add({ level, state }: WatchEntry, by: 1 | -1): void {
    counts.get(level)!.set(state, count(level, state) + by)
  }

  function enter(entry: WatchEntry, state: StateName): void {
    entry.state = state
    add(entry, 1)
  }

  const queueOf = (entry: WatchEntry): number => policy.queueOf(entry.level)
  const rankOf = (entry: WatchEntry): number => policy.rank(entry.dueAt, deadlineAt(entry))

  function enterQueue(entry: WatchEntry, queue: number, rank: number): void {
    entry.queue = queue
    pushNode(ready.heaps[queue]!, entry, rank)
    enter(entry, 'ready')
  }

  function onFree(entry: WatchEntry, queue: number, rank: number): void {
    add(entry, -1)
    enterQueue(entry, queue, rank)
  }

  return {
    throttles,
    setAside: enter,
    enterReady: (entry) => enterQueue(entry, queueOf(entry), rankOf(entry)),
    enterTime(entry, state, at) {
      if (state !== 'out') entry.dueAt = at
      pushNode(timed, entry, at)
      enter(entry, state)
    },
    enterAsked(entry, now) {
      entry.asked = true
      pushNode(asked, entry, now)
      enter(entry, 'asked')
    },
    enterHeld(entry, blocker, now) {
      throttles.hold(entry, blocker, queueOf(entry), rankOf(entry), now)
      enter(entry, 'held')
    },
    leave(entry, now) {
      add(entry, -1)
      switch (entry.state) {
        case 'waiting':
        case 'closed':
          return removeNode(timed, entry)
        case 'out':
          removeNode(timed, entry)
          return throttles.comeBack(entry, now)
        case 'ready':
          removeNode(ready.heaps[entry.queue]!, entry)
          throttles.dropClaim(entry, now)
          return throttles.recheck(entry, now)
        case 'held':
          throttles.release(entry, queueOf(entry))
          return throttles.dropClaim(entry, now)
        case 'asked':
          return removeNode(asked, entry)
        case 'paused':
        case 'shut':
          return
      }
    },
    firstDue: (now) => (timed.length > 0 && timed[0]!.key <= now ? timed[0] : undefined),
    firstWaiting() {
      let first: WatchEntry | undefined
      // The beginning of a heap has the smallest ones, in no order.
      for (const entry of timed.slice(0, FIRST))
        if (entry.state === 'waiting' && (first === undefined || entry.key < first.key)) first = entry
      return first
    },
    nextDueAt: () => timed[0]?.key ?? Number.POSITIVE_INFINITY,
    popReady() {
      const queue = policy.pick(ready.heaps, ready.turns)
      if (queue === -1) return undefined
      const entry = popNode(ready.heaps[queue]!)!
      add(entry, -1)
      return entry
    },
    tookTurn: (entry) => policy.took(entry.queue, ready.turns),
    firstAsked: () => asked[0],
    count,
    total: (state) => serviceLevels.reduce((sum, level) => sum + count(level, state), 0),
    changeLevel(entry, level) {
      add(entry, -1)
      entry.level = level
      add(entry, 1)
    },
  }
}
