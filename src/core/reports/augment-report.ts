/** Problem of a table; `foreign`: something else has its name, and was left alone. */
export type TableProblem = 'missing' | 'stale' | 'orphaned' | 'foreign'

/** Progress so far. The total number of documents isn't known in advance. */
export type AugmentProgress = Pick<AugmentReport, 'documents' | 'links' | 'written'>

export type AugmentReport = {
  folder: string
  /** Documents that have a table, or should. */
  documents: number
  links: number
  volatileParts: number
  written: number
  unchanged: number
  removed: number
  /** Skipped documents, with the reason. Bounded; `skippedCount` is the total. */
  skipped: { file: string; reason: string }[]
  skippedCount: number
  /** Tables with a problem. Bounded; `problemCount` is the total. */
  problems: { file: string; problem: TableProblem }[]
  problemCount: number
  seconds: number
}
