import type { NodeReport } from '../contracts/cluster/nodes.ts'

/**
 * How a node is, by what others can see of it:
 * - `lost`: no sign of life for longer than a lease; what it held is with others, and what it may still write is refused;
 * - `behind`: its signs are late, but its leases are good yet;
 * - `draining`: it is handing over its partitions and takes no new ones;
 * - `paused`: it fetches nothing, because an operator paused the crawl or because the store refuses its writes;
 * - `running`: everything else.
 * The first that applies counts.
 */
export const nodeStates = ['running', 'draining', 'paused', 'behind', 'lost'] as const

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
  if ((paused && node.role !== 'serve') || statOf(node, 'paused') > 0) return 'paused'
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

const MAX_WORD = 1000
