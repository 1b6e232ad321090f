import type { ServiceLevel } from '../../../core/profile.ts'
import { serviceLevels } from '../watch.ts'
import { type Bucket, type StateName, stateNames, type WatchEntry } from '../watch-entry.ts'
import { popNode, pushNode, removeNode } from './heap.ts'
import type { Policy } from './policy.ts'
import { type Budget, createFairQueue, createThrottles, type Throttles } from './throttles.ts'

/**
 * The queues of the scheduler. Each watch is in one of these: the time queue (watches that wait by due time, and those
 * that are out by the time at which they count as lost), a ready queue, the queue of a budget that holds it, the queue
 * of those asked for, or none (paused, shut). A caller that takes a watch out with `leave` or `popReady` must enter it again.
 */
export type Queues = {
  readonly throttles: Throttles
  setAside(entry: WatchEntry, state: 'paused' | 'shut'): void
  enterTime(entry: WatchEntry, state: 'waiting' | 'closed' | 'out', at: number): void
  enterReady(entry: WatchEntry): void
  enterAsked(entry: WatchEntry, now: number): void
  enterHeld(entry: WatchEntry, blocker: Bucket, now: number): void
  leave(entry: WatchEntry, now: number): void
  /** The first that is due; it stays in the queue. */
  firstDue(now: number): WatchEntry | undefined
  /** One of the waiting watches next to come due. */
  firstWaiting(): WatchEntry | undefined
  /** Infinite if the time queue is empty. */
  nextDueAt(): number
  /** Removes the next watch from the queue whose turn it is. */
  popReady(): WatchEntry | undefined
  /** Counts a turn of its queue. Call it only if the watch goes, not if it has to wait. */
  tookTurn(entry: WatchEntry): void
  firstAsked(): WatchEntry | undefined
  /** Number of watches of a level in a state. */
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

/** Heap nodes examined to find one that is waiting rather than out. */
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
      // The front of a heap array has its smallest nodes, unordered.
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
