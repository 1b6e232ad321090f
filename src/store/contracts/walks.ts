/**
 * Durable state of random walks: the position of each walker, the pages where walks restart, and how often each page was
 * visited. A step is numbered and decided once. If a process dies between the decision and the next request, it repeats the step and
 * gets the same decision.
 */
export type WalkStore = {
  /** Adds pages where walks may restart before any is visited. Removes the data of earlier runs. */
  addSeeds(run: number, pages: readonly WalkPage[]): Promise<void>
  /** Records steps. Returns where each walker goes; null if it is already further, or if there is no page to restart at. */
  record(run: number, steps: readonly WalkStep[]): Promise<(WalkPage | null)[]>
  /** The run of the newest walk; 0 for none. */
  lastRun(): Promise<number>
  /** Includes the most visited pages, at most `top`. */
  stats(run: number, top: number): Promise<WalkStats>
  /** Pages with their visits, in the order they were found, starting with number `from` (1 is the first). */
  visits(run: number, from: number, limit: number): Promise<PageVisits[]>
}

export type WalkPage = { host: string; fp: bigint; url: string }

export type WalkStep = {
  walker: number
  /** From 1; step 0 begins the walk and visits no page. */
  step: number
  /** The page that was visited; null for none, as when it could not be read or was a redirect. */
  visited: WalkPage | null
  /** Target of the link to follow; null to restart at a page chosen by `chance`, a number from 0 to 1. */
  next: WalkPage | null
  chance: number
  /** Where it restarts: at a seed, or at any known page. */
  from: 'given' | 'visited'
  /** There was no link to follow. */
  isDeadEnd: boolean
}

export type PageVisits = { url: string; visits: number; isSeed: boolean }

export type WalkStats = {
  /** Requests made or answered from the archive. */
  steps: number
  /** Steps at which a page was read. */
  visits: number
  /** Distinct pages. */
  pages: number
  /** Random restarts, and those for lack of a link. */
  restarts: number
  deadEnds: number
  top: PageVisits[]
}
