import type { Clock } from '../clock.ts'

/**
 * Steps left for matching someone's expressions. When they are used up, anything not yet found counts as absent, and `left <= 0` tells the
 * caller. Steps rather than time, so that the result doesn't depend on the speed or load of the machine. A step takes about 20 ns.
 */
export type WorkBudget = { left: number }

/** Default for one profile's interests and one document. */
const STEPS = 5_000_000

export function createWorkBudget(steps = STEPS): WorkBudget {
  return { left: steps }
}

export const isSpent = ({ left }: WorkBudget): boolean => left <= 0

/** Thrown when selectors have taken too many steps on one page. */
export class Exhausted extends Error {}

export function isExhausted(error: unknown): boolean {
  return error instanceof Exhausted
}

/** One budget per owner, created on first use: an owner gets the same amount of work no matter how many profiles or sources they have. */
export type OwnerBudgets = (owner: string) => WorkBudget

export function createOwnerBudgets(make: (owner: string) => WorkBudget): OwnerBudgets {
  const budgets = new Map<string, WorkBudget>()
  return (owner) => {
    const known = budgets.get(owner)
    if (known !== undefined) return known
    const made = make(owner)
    budgets.set(owner, made)
    return made
  }
}

/** Budgets of profiles, drawn from those of their owners. Only one is in use at a time: asking for the next settles the previous one. */
export function createProfileBudgets(budgetOf: OwnerBudgets) {
  let last: { owner: WorkBudget; budget: WorkBudget; steps: number } | null = null
  return {
    of(owner: string): WorkBudget {
      this.settle()
      const whole = budgetOf(owner)
      const steps = Math.max(0, Math.min(STEPS, whole.left))
      const budget = createWorkBudget(steps)
      last = { owner: whole, budget, steps }
      return budget
    },
    settle(): void {
      if (last !== null) last.owner.left -= last.steps - last.budget.left
      last = null
    },
  }
}

export type WorkShareLimits = {
  /** Maximum steps per owner and piece of work. */
  each: number
  /** Pieces that take at most this many steps are free. */
  free: number
  /** Steps refilled per second and owner, up to `max`. */
  perSecond: number
  max: number
}

/**
 * Limits each owner's share of a thread over time (a token bucket). Every piece of work has a budget per owner; an owner who spent a lot on
 * earlier pieces gets less, down to nothing, until time has passed. Normal work is too cheap to count.
 */
export type WorkShares = {
  begin(): { of: OwnerBudgets; end(): void }
}

const MAX_OWNERS = 10_000

export function createWorkShares(clock: Pick<Clock, 'monotonic'>, limits: WorkShareLimits): WorkShares {
  /** Owners whose share is not full. */
  const shares = new Map<string, { left: number; at: number }>()

  function leftOf(owner: string): number {
    const share = shares.get(owner)
    if (share === undefined) return limits.max
    const back = ((clock.monotonic() - share.at) / 1000) * limits.perSecond
    return Math.min(limits.max, share.left + back)
  }

  function spend(owner: string, steps: number): void {
    const left = leftOf(owner) - steps
    shares.delete(owner)
    shares.set(owner, { left, at: clock.monotonic() })
    if (shares.size > MAX_OWNERS) shares.delete(shares.keys().next().value!)
  }

  return {
    begin() {
      const given = new Map<string, { budget: WorkBudget; steps: number }>()
      return {
        of: createOwnerBudgets((owner) => {
          const steps = Math.max(0, Math.min(limits.each, leftOf(owner)))
          const budget = createWorkBudget(steps)
          given.set(owner, { budget, steps })
          return budget
        }),
        end() {
          for (const [owner, { budget, steps }] of given) {
            const spent = Math.min(steps, steps - budget.left)
            if (spent > limits.free) spend(owner, spent)
          }
        },
      }
    },
  }
}
