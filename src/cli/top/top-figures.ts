import type { NodeReport } from '../../store/contracts/nodes.ts'
import { type NodeState, nodeStateOf, statOf, wordOf } from '../../store/rules/node-state.ts'
import type { ClusterSnapshot } from '../engine.ts'

/** A node as the monitor shows it. */
export type NodeRow = {
  id: string
  name: string
  role: string
  host: string
  pid: number
  state: NodeState
  partitions: number
  perSecond: number
  inFlight: number
  queued: number
  errors: number
  refused: number
  rssBytes: number
  lagMs: number
  lastError: string
}

/** Over all nodes that live; null where two looks are needed to tell. */
export type ClusterRates = { pages: number; bytes: number | null; errors: number | null }

export function rowsOf({ nodes, paused }: ClusterSnapshot, leaseMs: number): NodeRow[] {
  return nodes.map((node) => {
    const state = nodeStateOf(node, { leaseMs, paused })
    const isLost = state === 'lost'
    return {
      id: node.id,
      name: node.name === '' ? node.id : node.name,
      role: node.role,
      host: node.host,
      pid: node.pid,
      state,
      partitions: node.partitions,
      perSecond: isLost ? 0 : statOf(node, 'perSecond'),
      inFlight: isLost ? 0 : statOf(node, 'inFlight'),
      queued: statOf(node, 'queued'),
      errors: statOf(node, 'failed'),
      refused: statOf(node, 'refused'),
      rssBytes: statOf(node, 'rssBytes'),
      lagMs: Math.max(0, node.seenMsAgo),
      lastError: wordOf(node, 'lastError'),
    }
  })
}

/**
 * Nodes tell totals. How long a node lived when it told them is known by the store's clock, so two looks give exact rates, however
 * long they lie apart and whatever the clock here says. A node that is in only one of them says nothing.
 */
export function ratesOf(before: ClusterSnapshot | null, after: ClusterSnapshot, leaseMs: number): ClusterRates {
  const pages = rowsOf(after, leaseMs).reduce((sum, { perSecond }) => sum + perSecond, 0)
  if (before === null) return { pages, bytes: null, errors: null }
  const earlier = new Map(before.nodes.map((node) => [node.id, node]))
  let bytes = 0
  let errors = 0
  for (const node of after.nodes) {
    const was = earlier.get(node.id)
    const seconds = was === undefined ? 0 : (ageOf(node) - ageOf(was)) / 1000
    if (was === undefined || seconds <= 0 || node.seenMsAgo > leaseMs) continue
    bytes += Math.max(0, statOf(node, 'bytes') - statOf(was, 'bytes')) / seconds
    errors += Math.max(0, statOf(node, 'failed') - statOf(was, 'failed')) / seconds
  }
  return { pages, bytes, errors }
}

/** How long it had lived when it gave the sign. */
const ageOf = ({ startedMsAgo, seenMsAgo }: NodeReport): number => startedMsAgo - seenMsAgo
