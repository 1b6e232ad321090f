/** What is wrong with a table; `foreign`: something else has its name, and it was left alone. */
export type TableProblem = 'missing' | 'stale' | 'orphaned' | 'foreign'

/** So far. The number of documents to come isn't known before they are found. */
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
  /** Documents that were left out, with the reason. Bounded; `skippedCount` is the total. */
  skipped: { file: string; reason: string }[]
  skippedCount: number
  /** Tables that are not as they should be. Bounded; `problemCount` is the total. */
  problems: { file: string; problem: TableProblem }[]
  problemCount: number
  seconds: number
}
