import type { Clock } from '../clock.ts'

/**
 * Steps that may still be spent on matching someone's expressions. When they are used up, anything not yet found counts
 * as absent, and the caller can tell: `left` is not above zero. Counted in steps and not in time, so that the outcome
 * doesn't depend on how fast or busy the machine is. A step takes about 20 ns.
 */
export type WorkBudget = { left: number }

/** For one profile's interests and one document. */
const STEPS = 5_000_000

export function createWorkBudget(steps = STEPS): WorkBudget {
  return { left: steps }
}

export const isSpent = ({ left }: WorkBudget): boolean => left <= 0

/** Thrown where selectors have taken too many steps on one page. */
export class Exhausted extends Error {}

export function isExhausted(error: unknown): boolean {
  return error instanceof Exhausted
}

/**
 * A budget for each owner, made when first asked for: however many profiles or sources owners have, each gets the work of
 * one.
 */
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

/**
 * Budgets of profiles that come out of those of their owners. One is in use at a time: asking for the next settles the last.
 */
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
  /** Steps for one owner and one piece of work. */
  each: number
  /** Pieces that take no more than this are free. */
  free: number
  /** Steps for one owner that come back every second, and up to how many. */
  perSecond: number
  max: number
}

/**
 * How much of a thread's time owners may take over time. A piece of work has a budget of its own for each owner; one who has
 * spent a lot on earlier pieces gets less, down to nothing, until time has passed. Usual work is too cheap to count.
 */
export type WorkShares = {
  begin(): { of: OwnerBudgets; end(): void }
}

const MAX_OWNERS = 10_000

export function createWorkShares(clock: Pick<Clock, 'monotonic'>, limits: WorkShareLimits): WorkShares {
  /** Those that are not full. */
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
