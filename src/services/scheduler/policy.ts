import type { ServiceLevel } from '../../core/profile.ts'
import { serviceLevels } from './watch.ts'

/**
 * Who goes first when more is due than can be fetched. Watches that are due stand on lanes; a policy says which lane a
 * service level stands on, in which order a lane is served, and whose turn it is. Budgets are not its business.
 *
 * Every policy serves somebody whenever somebody is waiting, and none lets anybody wait for ever: due times and
 * deadlines age, and each lane has a share.
 */
export type Policy = {
  readonly name: string
  readonly lanes: number
  /** By the index of the level in `serviceLevels`. */
  laneOf(level: number): number
  /** Place within the lane: smaller goes first, equal ones by their id. */
  rank(dueAt: number, deadlineAt: number): number
  /** The lane to serve next, given how many wait on each; -1 where nobody waits. */
  pick(waiting: ArrayLike<number>): number
  /** A check of this lane was handed out. Who was picked but had no budget is not counted. */
  took(lane: number): void
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
      return createSingleLane(name, (dueAt) => dueAt)
    case 'earliest-deadline':
      return createSingleLane(name, (_, deadlineAt) => deadlineAt)
    case 'weighted-fair':
      return createWeightedFair(shares)
  }
}

function createSingleLane(name: PolicyName, rank: Policy['rank']): Policy {
  return {
    name,
    lanes: 1,
    laneOf: () => 0,
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
  const steps = Float64Array.from(serviceLevels, (level) => 1 / shares[level])
  const clocks = new Float64Array(serviceLevels.length)
  let time = 0
  return {
    name: 'weighted-fair',
    lanes: serviceLevels.length,
    laneOf: (level) => level,
    rank: (_, deadlineAt) => deadlineAt,
    pick(waiting) {
      let next = -1
      for (let lane = 0; lane < clocks.length; lane++) {
        if (waiting[lane] === 0) clocks[lane] = Math.max(clocks[lane]!, time)
        else if (next === -1 || clocks[lane]! < clocks[next]!) next = lane
      }
      return next
    },
    took(lane) {
      time = Math.max(time, clocks[lane]!)
      clocks[lane] = clocks[lane]! + steps[lane]!
    },
  }
}
