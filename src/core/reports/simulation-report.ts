/** `budgets`: times what is used today; `listed`: sources whose plan is told. */
export type SimulationRequest = { days: number; budgets: readonly number[]; seed: number; listed: number }

/** What budgets and policies would come to, on the own history. */
export type SimulationReport = {
  /** Sources that were simulated, of those that are watched. */
  sources: number
  of: number
  days: number
  /** Requests per day of one source each: the budget that factors refer to. */
  requestsPerDay: number
  rows: SimulationRow[]
  plan: PlannedSource[]
}

export type SimulationRow = {
  /** Times the budget. */
  budget: number
  policy: string
  fresh: number
  delayMs: number
  /** Delay by that of uniform polling. */
  ofUniform: number
  used: number
}

/** A source as it is checked now. */
export type PlannedSource = {
  uri: string
  changesPerDay: number | null
  everyMs: number
  expectedDelayMs: number
  nextAt: number | null
  why: string
}
