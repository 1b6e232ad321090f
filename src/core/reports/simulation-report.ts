/** `budgets`: multiples of today's usage; `listed`: number of sources whose plan is reported. */
export type SimulationRequest = { days: number; budgets: readonly number[]; seed: number; listed: number }

/** Effects of budgets and policies, simulated on this installation's own history. */
export type SimulationReport = {
  /** Number of simulated sources, out of all watched ones. */
  sources: number
  of: number
  days: number
  /** Requests per day today, one source each: the budget that the factors multiply. */
  requestsPerDay: number
  rows: SimulationRow[]
  plan: PlannedSource[]
}

export type SimulationRow = {
  /** Multiple of today's budget. */
  budget: number
  policy: string
  fresh: number
  delayMs: number
  /** Delay relative to uniform polling. */
  ofUniform: number
  used: number
}

/** The current schedule of a source. */
export type PlannedSource = {
  uri: string
  changesPerDay: number | null
  everyMs: number
  expectedDelayMs: number
  nextAt: number | null
  why: string
}
