import type { Run, RunStore } from '../runs.ts'

/**
 * Crawls of a cluster. A run carries its settings, so that every worker can help, and a revision that grows when they change. It is
 * - open: workers adopt its settings and crawl. The node that began it offers the seeds once all of them have;
 * - kept open while a node is seeding, or any of its requests is queued;
 * - finished by the first node that finds nothing left.
 *
 * If pages are limited, nodes reserve them from the run in portions before they fetch, and return those they don't need. Pages reserved
 * by a node that dies stay reserved, so that the limit is never exceeded.
 */
export type ClusterRunStore = RunStore & {
  /**
   * Begins a run, or joins the open one. While another node crawls in it, its settings stay and the seeds are added;
   * otherwise it continues with the given settings. The node is seeding from then on.
   */
  join(node: string, settings: SharedSettings, times: { at: number; liveMs: number }): Promise<JoinedRun>
  /** The open run that has settings; null if there is none. */
  current(): Promise<RunMark | null>
  settings(id: number): Promise<SharedSettings | null>
  /** Finishes the run unless requests are left or a live node is seeding. Returns whether it is now finished. */
  close(id: number, times: { at: number; liveMs: number }): Promise<boolean>
  isFinished(id: number): Promise<boolean>
  /** Records a node's work for a run, and how many of its reserved pages are left. */
  put(share: RunShare): Promise<void>
  setSeeding(run: number, node: string, seeding: boolean): Promise<void>
  shares(run: number, liveMs: number): Promise<LiveShare[]>
  /**
   * Reserves a portion of the pages that may still be fetched, at most `atMost`; fewer near the limit. `had` is the number the node has
   * taken before, minus those it returned. If more are recorded, an earlier response was lost, and the surplus is returned first.
   */
  takePages(run: number, node: string, wish: { had: number; atMost: number }): Promise<number>
  /** Reduces the node's reservation to `taken`; the rest is available to others again. Idempotent. */
  keepPages(run: number, node: string, taken: number): Promise<void>
  pages(run: number): Promise<{ limit: number | null; taken: number }>
}

/** The settings of a crawl that all workers share. */
export type SharedSettings = {
  readonly seeds: readonly string[]
  readonly maxPages: number | null
  readonly [name: string]: unknown
}

export type RunMark = { id: number; revision: number }

/** `others`: another node is crawling in it. */
export type JoinedRun = Run & { revision: number; others: boolean }

export type RunShare = {
  run: number
  node: string
  stats: Record<string, unknown>
  pages: number
  /** The last report of this node. */
  final: boolean
}

export type LiveShare = Omit<RunShare, 'run'> & {
  /** Its node had a recent heartbeat. */
  live: boolean
}

/** Notified when a run begins, changes or is finished. */
export const runsChannel = 'runs'
