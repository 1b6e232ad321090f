import type { ServiceLevel } from '../../../core/profile.ts'
import { serviceLevels } from '../watch.ts'

/**
 * Which watch goes first when more checks are due than can be made. Due watches wait in queues; a policy decides which
 * queue a service level uses, the order within a queue, and which queue is next. Queues take turns in the scheduler as
 * a whole and at each budget that several queues wait for; the policy's memory of these turns is an array of numbers
 * kept by the caller.
 *
 * Every policy is work-conserving, and no watch starves: due times and deadlines age, and each queue has a share.
 */
export type Policy = {
  readonly name: string
  readonly queues: number
  /** Length of the `turns` array; initialise it with 0. */
  readonly memory: number
  queueOf(level: ServiceLevel): number
  /** Order within the queue: smallest first, ties broken by id. */
  rank(dueAt: number, deadlineAt: number): number
  /** The queue to serve next; -1 if all are empty. */
  pick(queues: readonly { readonly length: number }[], turns: number[]): number
  /** Records that the queue was served. */
  took(queue: number, turns: number[]): void
}

export type PolicyName = 'value' | 'first-in' | 'earliest-deadline' | 'weighted-fair'

export type Shares = Readonly<Record<ServiceLevel, number>>

/**
 * Each level has four times the share of the next. With 16 of 21 parts, gold meets its deadlines as long as its own
 * demand is below three quarters of the capacity: even if all three levels demand the same and only half of it can be
 * served. Bronze gets at least 1/21, and more whenever the others leave some.
 */
export const defaultShares: Shares = { gold: 16, silver: 4, bronze: 1 }

export function createPolicy(name: PolicyName, shares: Shares = defaultShares): Policy {
  switch (name) {
    case 'first-in':
      return createSingleQueue(name, (dueAt) => dueAt)
    case 'earliest-deadline':
      return createSingleQueue(name, (_, deadlineAt) => deadlineAt)
    // Serves due watches in the same order; only the due times differ: see `valuation.ts`.
    case 'value':
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
    pick: (queues) => (queues[0]!.length > 0 ? 0 : -1),
    took() {},
  }
}

/**
 * Fair queueing by virtual time: each queue has a clock that moves by 1/share with every check, and the queue furthest
 * behind is next. The clock of an empty queue moves along, so that it returns without credit or debt. Within a queue
 * the earliest deadline goes first.
 */
function createWeightedFair(shares: Shares): Policy {
  const count = serviceLevels.length
  const steps = serviceLevels.map((level) => 1 / shares[level])
  return {
    name: 'weighted-fair',
    queues: count,
    // The clocks of the queues, and the time of the last turn.
    memory: count + 1,
    queueOf: (level) => serviceLevels.indexOf(level),
    rank: (_, deadlineAt) => deadlineAt,
    pick(queues, turns) {
      let next = -1
      for (let queue = 0; queue < count; queue++) {
        if (queues[queue]!.length === 0) turns[queue] = Math.max(turns[queue]!, turns[count]!)
        else if (next === -1 || turns[queue]! < turns[next]!) next = queue
      }
      return next
    },
    took(queue, turns) {
      turns[count] = Math.max(turns[count]!, turns[queue]!)
      turns[queue] = turns[queue]! + steps[queue]!
    },
  }
}
