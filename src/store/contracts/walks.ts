/**
 * What has to outlive the process of a random walk: where each walker is, the pages where walks restart, and how often each page was
 * visited. A step is numbered and decided once. A process that dies between the decision and the next request repeats the step and
 * is told what was decided.
 */
export type WalkStore = {
  /** Pages where walks may restart, before any is visited. What is left of earlier runs is forgotten. */
  addSeeds(run: number, pages: readonly WalkPage[]): Promise<void>
  /** Keeps steps; says where each walker goes, or null if it is further already, or if there is no page to restart at. */
  record(run: number, steps: readonly WalkStep[]): Promise<(WalkPage | null)[]>
  /** The run of the newest walk; 0 for none. */
  lastRun(): Promise<number>
  /** With the most visited pages, `top` at most. */
  stats(run: number, top: number): Promise<WalkStats>
  /** Pages with their visits, in the order they were found, from the number `from` on (1 is the first). */
  visits(run: number, from: number, limit: number): Promise<PageVisits[]>
}

export type WalkPage = { host: string; fp: bigint; url: string }

export type WalkStep = {
  walker: number
  /** From 1; 0 begins the walk, and no page is visited then. */
  step: number
  /** The page that was visited; null for none, such as one that could not be read or that only leads on. */
  visited: WalkPage | null
  /** Where a link leads; null where the walk restarts, at a page chosen by `chance`, which is from 0 up to 1. */
  next: WalkPage | null
  chance: number
  /** Where it restarts: at a seed, or at any page that was visited so far. */
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
  /** Different pages. */
  pages: number
  /** Restarts by chance, and those for want of a link. */
  restarts: number
  deadEnds: number
  top: PageVisits[]
}
