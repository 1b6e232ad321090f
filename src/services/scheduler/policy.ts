import type { ServiceLevel } from '../../core/profile.ts'
import { serviceLevels } from './watch.ts'

/**
 * Who goes first when more is due than can be fetched. Watches that are due stand on lanes; a policy says which lane a
 * service level stands on, in which order a lane is served, and whose turn it is. There are turns for the whole and turns
 * at each budget that several lanes wait for; what a policy must remember of them is in numbers that it is handed.
 *
 * Every policy serves somebody whenever somebody is waiting, and none lets anybody wait for ever: due times and
 * deadlines age, and each lane has a share.
 */
export type Policy = {
  readonly name: string
  readonly queues: number
  /** How many numbers it remembers for one set of turns; they are 0 at first. */
  readonly memory: number
  /** By the index of the level in `serviceLevels`. */
  queueOf(level: number): number
  /** Place within the lane: smaller goes first, equal ones by their id. */
  rank(dueAt: number, deadlineAt: number): number
  /** The lane to serve next, given how many wait on each; -1 where nobody waits. Its memory begins at `at`. */
  pick(waiting: ArrayLike<number>, turns: Float64Array, at: number): number
  /** The lane was served. */
  took(queue: number, turns: Float64Array, at: number): void
}

export type PolicyName = 'first-in' | 'earliest-deadline' | 'weighted-fair'

export type Shares = Readonly<Record<ServiceLevel, number>>

/**
 * Each level has four times the share of the next. Gold then has 16 of 21 parts: it keeps its deadlines as long as its own
 * demand is below three quarters of the capacity, so also where all three levels demand the same and only half of it
 * can be done. Bronze has no less than a twenty-first, and more whenever the others leave some.
 */
export const defaultShares: Shares = { gold: 16, silver: 4, bronze: 1 }

export function createPolicy(name: PolicyName, shares: Shares = defaultShares): Policy {
  switch (name) {
    case 'first-in':
      return createSingleQueue(name, (dueAt) => dueAt)
    case 'earliest-deadline':
      return createSingleQueue(name, (_, deadlineAt) => deadlineAt)
    case 'weighted-fair':
      return createWeightedFair(shares)
  }
}

function createSingleQueue(name: PolicyName, rank: Policy['rank']): Policy {
  return {
    name,
    queues: 1,
    memory: 0,
    queueOf: () => 0,
    rank,
    pick: (waiting) => (waiting[0]! > 0 ? 0 : -1),
    took() {},
  }
}

/**
 * Fair queueing by virtual time: each lane has a clock that moves by 1/share with every check, and the lane that is
 * furthest behind is next. A lane on which nobody waits is carried along, so that it comes back without credit and
 * without debt. Within a lane the earliest deadline goes first.
 */
function createWeightedFair(shares: Shares): Policy {
  const queues = serviceLevels.length
  const steps = Float64Array.from(serviceLevels, (level) => 1 / shares[level])
  return {
    name: 'weighted-fair',
    queues,
    // The clocks of the lanes, and the time of the last turn.
    memory: queues + 1,
    queueOf: (level) => level,
    rank: (_, deadlineAt) => deadlineAt,
    pick(waiting, turns, at) {
      let next = -1
      for (let queue = 0; queue < queues; queue++) {
        if (waiting[queue] === 0) turns[at + queue] = Math.max(turns[at + queue]!, turns[at + queues]!)
        else if (next === -1 || turns[at + queue]! < turns[at + next]!) next = queue
      }
      return next
    },
    took(queue, turns, at) {
      turns[at + queues] = Math.max(turns[at + queues]!, turns[at + queue]!)
      turns[at + queue] = turns[at + queue]! + steps[queue]!
    },
  }
}
