import type { NodeReport } from '../contracts/cluster/nodes.ts'

/**
 * How a node is, by what others can see of it:
 * - `lost`: no sign of life for longer than a lease; what it held is with others, and what it may still write is refused;
 * - `behind`: its signs are late, but its leases are good yet;
 * - `draining`: it is handing over its partitions and takes no new ones;
 * - `paused`: it fetches nothing, because an operator paused the crawl or because the store refuses its writes;
 * - `waiting`: something that it does for the cluster has been failing for some seconds, and it tries again; it says what;
 * - `running`: everything else.
 * The first that applies counts.
 */
export const nodeStates = ['running', 'waiting', 'draining', 'paused', 'behind', 'lost'] as const

export type NodeState = (typeof nodeStates)[number]

/** Nodes give a sign each second. */
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
  // Of a version that doesn't say what for, or writes that wait for so short a time.
  const isHeldUp = statOf(node, 'paused') > 0 && !isWaiting
  if ((paused && node.role !== 'serve') || isHeldUp) return 'paused'
  if (isWaiting) return 'waiting'
  return 'running'
}

type Seen = Pick<NodeReport, 'seenMsAgo' | 'draining' | 'role' | 'stats'>

/** What a node says of itself was written by another program, perhaps of another version: what is no number is none. */
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

/** What a node waits for, or what went wrong last. */
export function problemOf(node: Pick<NodeReport, 'stats'>): string {
  const waiting = wordOf(node, 'waiting')
  return waiting === '' ? wordOf(node, 'lastError') : `waiting: ${waiting}`
}

const MAX_WORD = 1000
