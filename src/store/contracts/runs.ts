/** Crawls of one data folder: an unfinished run goes on, a finished one is followed by the next. */
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
  /** True when `begin` found it unfinished. */
  continued: boolean
}
