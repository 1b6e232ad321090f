/** Progress of copying a data folder into a shared store. */
export type ImportProgress = { what: string; done: number; total: number }

/** What was copied, and the results of checking it. */
export type ImportReport = {
  /** Rows of each kind, in the data folder and in the shared store. */
  counts: { what: string; here: number; there: number }[]
  /** Bodies whose digest was recomputed from the copy. */
  bodiesChecked: number
  bytes: number
  seconds: number
  /** Mismatches; empty if everything agrees. */
  faults: string[]
  interrupted: boolean
}
