/** How far a data folder has been copied into a shared store. */
export type ImportProgress = { what: string; done: number; total: number }

/** What was copied, and how it was checked. */
export type ImportReport = {
  /** Rows of each kind, here and there. */
  counts: { what: string; here: number; there: number }[]
  /** Bodies whose digest was computed again from what arrived. */
  bodiesChecked: number
  bytes: number
  seconds: number
  /** What does not agree; empty when all of it does. */
  faults: string[]
  interrupted: boolean
}
