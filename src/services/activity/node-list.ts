import type { Clock } from '../../core/clock.ts'
import type { NodeRole, NodeStore, NodeReport as SeenNode } from '../../store/contracts/cluster/nodes.ts'
import { nodeStateOf, problemOf, statOf } from '../../store/rules/node-state.ts'
import type { NodeList, NodeReport } from './this-node.ts'

export type NodeListDeps = {
  nodes: Pick<NodeStore, 'list' | 'isPaused' | 'drain'>
  /** Lease time of the cluster: a node not seen for this long counts as lost. */
  leaseMs: number
  clock: Clock
}

const roles: Record<NodeRole, NodeReport['role']> = { serve: 'server', worker: 'worker', crawl: 'crawl', up: 'all' }

/** The processes of a cluster. The store's clock measures their ages; the reader's clock turns these into times. */
export function createNodeList({ nodes, leaseMs, clock }: NodeListDeps): NodeList {
  return {
    async list() {
      const [seen, paused] = await Promise.all([nodes.list(), nodes.isPaused()])
      return seen.map((node) => reportOf(node, { now: clock.now(), leaseMs, paused }))
    },
    drain: (id, draining) => nodes.drain(id, draining),
  }
}

type Moment = { now: number; leaseMs: number; paused: boolean }

function reportOf(node: SeenNode, { now, leaseMs, paused }: Moment): NodeReport {
  const { id, name, role, host, pid, partitions, startedMsAgo, seenMsAgo } = node
  const state = nodeStateOf(node, { leaseMs, paused })
  return {
    id,
    name,
    role: roles[role] ?? 'worker',
    host,
    pid,
    startedAt: new Date(now - startedMsAgo).toISOString(),
    seenAt: new Date(now - seenMsAgo).toISOString(),
    threads: wholeOf(node, 'threads'),
    partitions,
    pagesPerSecond: state === 'lost' ? 0 : statOf(node, 'perSecond'),
    rssBytes: wholeOf(node, 'rssBytes'),
    queued: wholeOf(node, 'queued'),
    inFlight: state === 'lost' ? 0 : wholeOf(node, 'inFlight'),
    errors: wholeOf(node, 'failed'),
    refused: wholeOf(node, 'refused'),
    lagMs: Math.max(0, Math.round(seenMsAgo)),
    lastError: problemOf(node),
    state,
  }
}

const wholeOf = (node: SeenNode, name: string): number => Math.round(statOf(node, name))
