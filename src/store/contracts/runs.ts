/** Crawls of one data folder: an unfinished run is continued, a finished one is followed by a new one. */
export type RunStore = {
  /** The run to work on: the last one if it is unfinished, a new one otherwise. */
  begin(at: number): Promise<Run>
  finish(id: number, at: number): Promise<void>
  last(): Promise<Run | null>
}

export type Run = {
  id: number
  startedAt: number
  finishedAt: number | null
  /** True if `begin` found it unfinished. */
  continued: boolean
}
