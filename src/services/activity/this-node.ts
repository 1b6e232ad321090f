import type { NodeState } from '../../store/rules/node-state.ts'
import type { Activity } from './activity.ts'

/** A process that takes part in the work. */
export type NodeReport = {
  id: string
  /** Display name. */
  name: string
  role: 'all' | 'server' | 'worker' | 'crawl'
  host: string
  pid: number
  startedAt: string
  seenAt: string
  threads: number
  partitions: number
  pagesPerSecond: number
  rssBytes: number
  queued: number
  inFlight: number
  /** Failed requests since it started. */
  errors: number
  /** Writes that came too late and were discarded. */
  refused: number
  /** Time since its last heartbeat. */
  lagMs: number
  lastError: string
  state: NodeState
}

export type NodeList = {
  list(): Promise<NodeReport[]>
  /** Makes a node hand over what it holds, or take part again; false for an unknown node. Omitted if one process does everything. */
  drain?(id: string, draining: boolean): Promise<boolean>
}

export type ThisNodeDeps = {
  activity: Pick<Activity, 'now' | 'paused' | 'meters'>
  host: string
  pid: number
  startedAtMs: number
  /** Shards of the crawl. */
  threads: number
  partitions: number
  rssBytes(): number
}

/** The list for a single process that does everything. */
export function createThisNode(deps: ThisNodeDeps): NodeList {
  const { activity, host, pid, threads, partitions } = deps
  return {
    async list() {
      const { at, pagesPerSecond, queued, inFlight } = activity.now()
      const state = (await activity.paused()) === null ? 'running' : 'paused'
      return [
        {
          id: `${host}:${pid}`,
          name: host,
          role: 'all',
          host,
          pid,
          startedAt: new Date(deps.startedAtMs).toISOString(),
          seenAt: at,
          threads,
          partitions,
          pagesPerSecond,
          rssBytes: deps.rssBytes(),
          queued,
          inFlight,
          errors: activity.meters().failed,
          refused: 0,
          lagMs: 0,
          lastError: '',
          state,
        },
      ]
    },
  }
}
