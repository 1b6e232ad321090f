import type { Budget } from './buckets.ts'
import type { HeapArena } from './heap-arena.ts'
import type { Policy } from './policy.ts'
import { createHolds, type Holds } from './throttles.ts'
import { createTimeQueue, type TimeQueue } from './time-queue.ts'
import { serviceLevels } from './watch.ts'
import { flags, type StateName, states, type WatchColumns } from './watch-columns.ts'

/**
 * Where watches are. Each is in one place: on the time queue (all that wait, and all that are out by the time at which they
 * are lost), on a lane, with a budget that holds it, on the queue of those asked for, or nowhere in particular
 * (paused, shut). Who takes one out with `leave` or `popReady` puts it somewhere again.
 */
export type Queues = {
  readonly holds: Holds
  /** To look at; it is changed by the functions here. */
  readonly time: Pick<TimeQueue, 'due' | 'nextAt'>
  stand(slot: number, state: 'paused' | 'shut'): void
  enterTime(slot: number, state: 'waiting' | 'closed' | 'out', at: number): void
  enterReady(slot: number): void
  enterAsked(slot: number, now: number): void
  enterHold(slot: number, blocker: number, now: number): void
  leave(slot: number, now: number): void
  /** Takes the next from the lane whose turn it is; -1 where nobody is ready. */
  popReady(): number
  /** It goes: that was its lane's turn. Who was taken but has to wait is not counted. */
  tookTurn(slot: number): void
  firstAsked(): number
  /** How many of a level are in a state. */
  count(level: number, state: StateName): number
  total(state: StateName): number
  /** Counts a watch that changes its level at another place. */
  changeLevel(slot: number, level: number): void
}

export type QueuesOptions = {
  columns: WatchColumns
  heap: HeapArena
  policy: Policy
  perUser: Budget | null
  perHost: Budget | null
  deadlineAt(slot: number): number
  now: number
}

const STATES = 16

export function createQueues({ columns, heap, policy, perUser, perHost, deadlineAt, now }: QueuesOptions): Queues {
  const holds = createHolds({ heap, columns, perUser, perHost, policy, onFree })
  const time = createTimeQueue(heap, now)
  let askedRoot = -1
  const queueRoots = new Int32Array(policy.queues).fill(-1)
  const turns = new Float64Array(policy.memory)
  const queueSizes = new Int32Array(policy.queues)
  const counts = new Int32Array(serviceLevels.length * STATES)

  function add(slot: number, by: 1 | -1): void {
    const at = columns.level[slot]! * STATES + columns.state[slot]!
    counts[at] = counts[at]! + by
  }

  function enter(slot: number, state: StateName): void {
    columns.state[slot] = states[state]
    add(slot, 1)
  }

  function exit(slot: number): void {
    add(slot, -1)
    columns.state[slot] = 0
  }

  const queueOf = (slot: number): number => policy.queueOf(columns.level[slot]!)
  const rankOf = (slot: number): number => policy.rank(columns.dueAt[slot]!, deadlineAt(slot))

  function enterQueue(slot: number, queue: number, rank: number): void {
    columns.queue[slot] = queue
    queueRoots[queue] = heap.push(queueRoots[queue]!, slot, rank)
    queueSizes[queue] = queueSizes[queue]! + 1
    enter(slot, 'ready')
  }

  function onFree(slot: number, queue: number, rank: number): void {
    exit(slot)
    enterQueue(slot, queue, rank)
  }

  return {
    holds,
    stand: enter,
    enterReady: (slot) => enterQueue(slot, queueOf(slot), rankOf(slot)),
    enterTime(slot, state, at) {
      if (state !== 'out') columns.dueAt[slot] = at
      time.push(slot, at)
      enter(slot, state)
    },
    enterAsked(slot, now) {
      columns.flags[slot] = columns.flags[slot]! | flags.asked
      askedRoot = heap.push(askedRoot, slot, now)
      enter(slot, 'asked')
    },
    enterHold(slot, blocker, now) {
      holds.hold(slot, blocker, queueOf(slot), rankOf(slot), now)
      enter(slot, 'held')
    },
    leave(slot, now) {
      const state = columns.state[slot]
      exit(slot)
      if (state === states.waiting || state === states.closed || state === states.out) {
        time.remove(slot)
        if (state === states.out) holds.comesBack(slot, now)
      } else if (state === states.ready) {
        const queue = columns.queue[slot]!
        queueRoots[queue] = heap.remove(queueRoots[queue]!, slot)
        queueSizes[queue] = queueSizes[queue]! - 1
        holds.giveUp(slot, now)
        holds.lookAgain(slot, now)
      } else if (state === states.held) {
        holds.letGo(slot, queueOf(slot))
        holds.giveUp(slot, now)
      } else if (state === states.asked) {
        askedRoot = heap.remove(askedRoot, slot)
      }
    },
    popReady() {
      const queue = policy.pick(queueSizes, turns, 0)
      if (queue === -1) return -1
      const slot = queueRoots[queue]!
      queueRoots[queue] = heap.pop(slot)
      queueSizes[queue] = queueSizes[queue]! - 1
      exit(slot)
      return slot
    },
    tookTurn(slot) {
      policy.took(columns.queue[slot]!, turns, 0)
    },
    time,
    firstAsked: () => askedRoot,
    count: (level, state) => counts[level * STATES + states[state]]!,
    total(state) {
      let sum = 0
      for (let level = 0; level < serviceLevels.length; level++) sum += counts[level * STATES + states[state]]!
      return sum
    },
    changeLevel(slot, level) {
      add(slot, -1)
      columns.level[slot] = level
      add(slot, 1)
    },
  }
}
