import type { NodeReport } from '../contracts/cluster/nodes.ts'

/**
 * State of a node, as seen by others:
 * - `lost`: no heartbeat for longer than a lease; others hold its partitions, and its writes are refused;
 * - `behind`: its heartbeats are late, but its leases are still valid;
 * - `draining`: it is handing over its partitions and takes no new ones;
 * - `paused`: it fetches nothing, because an operator paused the crawl or because the store refuses its writes;
 * - `waiting`: one of its duties for the cluster has been failing for some seconds, and it is retrying; it says which;
 * - `running`: everything else.
 * The first that applies counts.
 */
export const nodeStates = ['running', 'waiting', 'draining', 'paused', 'behind', 'lost'] as const

export type NodeState = (typeof nodeStates)[number]

/** Nodes send a heartbeat every second. */
const LATE_MS = 4_000

export type StateOptions = {
  leaseMs: number
  /** An operator paused the crawl. */
  paused: boolean
}

export function nodeStateOf(node: Seen, { leaseMs, paused }: StateOptions): NodeState {
  if (node.seenMsAgo > leaseMs) return 'lost'
  if (node.seenMsAgo > Math.min(LATE_MS, leaseMs / 2)) return 'behind'
  if (node.draining) return 'draining'
  const isWaiting = wordOf(node, 'waiting') !== ''
  // Paused without a reason: an older version, or writes that have waited only briefly.
  const isHeldUp = statOf(node, 'paused') > 0 && !isWaiting
  if ((paused && node.role !== 'serve') || isHeldUp) return 'paused'
  if (isWaiting) return 'waiting'
  return 'running'
}

type Seen = Pick<NodeReport, 'seenMsAgo' | 'draining' | 'role' | 'stats'>

/** A stat of a node, 0 if it isn't a number: stats are written by another process, perhaps of another version. */
export function statOf({ stats }: Pick<NodeReport, 'stats'>, name: string): number {
  const value = ownValue(stats, name)
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

export function wordOf({ stats }: Pick<NodeReport, 'stats'>, name: string): string {
  const value = ownValue(stats, name)
  return typeof value === 'string' ? value.slice(0, MAX_WORD) : ''
}

function ownValue(stats: Readonly<Record<string, unknown>> | null, name: string): unknown {
  return stats !== null && Object.hasOwn(stats, name) ? stats[name] : undefined
}

/** What a node is waiting for, or its last error. */
export function problemOf(node: Pick<NodeReport, 'stats'>): string {
  const waiting = wordOf(node, 'waiting')
  return waiting === '' ? wordOf(node, 'lastError') : `waiting: ${waiting}`
}

const MAX_WORD = 1000
