import type { Activity } from './activity.ts'

/** A process that takes part in the work. */
export type NodeReport = {
  id: string
  role: 'all' | 'server' | 'worker'
  host: string
  pid: number
  startedAt: string
  seenAt: string
  threads: number
  partitions: number
  pagesPerSecond: number
  rssBytes: number
  state: 'running' | 'draining' | 'paused' | 'lost'
}

export type NodeList = { list(): Promise<NodeReport[]> }

export type ThisNodeDeps = {
  activity: Pick<Activity, 'now' | 'paused'>
  host: string
  pid: number
  startedAtMs: number
  /** Shards of the crawl. */
  threads: number
  partitions: number
  rssBytes(): number
}

/** Where one process does everything, it is the whole list. */
export function createThisNode(deps: ThisNodeDeps): NodeList {
  const { activity, host, pid, threads, partitions } = deps
  return {
    async list() {
      const { at, pagesPerSecond } = activity.now()
      const state = (await activity.paused()) === null ? 'running' : 'paused'
      return [
        {
          id: `${host}:${pid}`,
          role: 'all',
          host,
          pid,
          startedAt: new Date(deps.startedAtMs).toISOString(),
          seenAt: at,
          threads,
          partitions,
          pagesPerSecond,
          rssBytes: deps.rssBytes(),
          state,
        },
      ]
    },
  }
}
