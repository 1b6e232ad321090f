/**
 * Steps that may still be spent on holding one profile against one document. When they are used up, what was not
 * found counts as not there, and whoever asked can see it: `left` is not above zero. Counted in steps and not in time, so that the
 * outcome is the same wherever and whenever it is computed.
 */
export type WorkBudget = { left: number }

const STEPS = 5_000_000

export function createWorkBudget(steps = STEPS): WorkBudget {
  return { left: steps }
}
