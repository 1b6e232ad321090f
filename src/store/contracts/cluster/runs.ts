import type { Run, RunStore } from '../runs.ts'

/**
 * Crawls of a cluster. A run has its settings with it, so that every worker can help, and a revision that grows when they change. It is
 * - open: workers take over its settings and crawl. The node that began it offers the seeds once all of them have;
 * - kept open while a node is seeding, or anything of it is queued;
 * - finished, by the first node that finds nothing left.
 *
 * Where pages are limited, nodes take them from the run in portions before they fetch, and give back what they do not need. What a node
 * that dies had taken stays taken: there are never more pages than the limit says.
 */
export type ClusterRunStore = RunStore & {
  /**
   * Begins a run, or joins the one that is open. While another node crawls in it, its settings stay, and the seeds are added;
   * otherwise it goes on with the settings given. The node is seeding from then on.
   */
  join(node: string, settings: SharedSettings, times: { at: number; liveMs: number }): Promise<JoinedRun>
  /** The open run that has settings; null where there is none. */
  current(): Promise<RunMark | null>
  settings(id: number): Promise<SharedSettings | null>
  /** Finishes the run unless something is left of it, or a live node is seeding. True where it is finished now. */
  close(id: number, times: { at: number; liveMs: number }): Promise<boolean>
  isFinished(id: number): Promise<boolean>
  /** What a node has done for a run, and how many of the pages it took it has left. */
  put(share: RunShare): Promise<void>
  setSeeding(run: number, node: string, seeding: boolean): Promise<void>
  shares(run: number, liveMs: number): Promise<LiveShare[]>
  /**
   * A portion of the pages that may still be fetched, at most `atMost`; fewer near the limit. `had` are all that the node has taken before,
   * less those it gave back. Should more be noted, the answer was lost, and they go back first.
   */
  takePages(run: number, node: string, wish: { had: number; atMost: number }): Promise<number>
  /** `taken` is all the node keeps; the rest goes back to the others. Idempotent. */
  keepPages(run: number, node: string, taken: number): Promise<void>
  pages(run: number): Promise<{ limit: number | null; taken: number }>
}

/** What all workers share of a crawl's settings. */
export type SharedSettings = {
  readonly seeds: readonly string[]
  readonly maxPages: number | null
  readonly [name: string]: unknown
}

export type RunMark = { id: number; revision: number }

/** `others`: another node crawls in it. */
export type JoinedRun = Run & { revision: number; others: boolean }

export type RunShare = {
  run: number
  node: string
  stats: Record<string, unknown>
  pages: number
  /** Nothing more comes. */
  final: boolean
}

export type LiveShare = Omit<RunShare, 'run'> & {
  /** Its node gave a sign not long ago. */
  live: boolean
}

/** Notified when a run begins, changes or is finished. */
export const runsChannel = 'runs'
