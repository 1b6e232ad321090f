import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Track } from '../core/work/retries.ts'
import type { NodeOrders, NodeRole, NodeSign, NodeStore } from '../store/contracts/cluster/nodes.ts'
import { startLoop } from './poll-loop.ts'

/** Identifies this process to the rest of the cluster. The id is unique per process. */
export type NodeIdentity = Omit<NodeSign, 'stats'>

export function identifyNode(role: NodeRole, { cluster }: Config): NodeIdentity {
  const host = hostname()
  const id = `${host}-${process.pid}-${randomBytes(3).toString('hex')}`
  return { id, name: cluster.name === '' ? host : cluster.name, role, host, pid: process.pid }
}

/** The database's clock, which all nodes use. `adjust` compares it with this machine's again. */
export type ClusterClock = Clock & { adjust(): Promise<void> }

export type HeartbeatDeps = {
  node: NodeIdentity
  nodes: Pick<NodeStore, 'heartbeat' | 'forget' | 'remove'>
  clock: Pick<ClusterClock, 'adjust'>
  stats(): NodeSign['stats']
  onOrders?(orders: NodeOrders): void
  /** Called every thirty beats, after the clocks were compared. */
  onSeldom?(): Promise<void>
  track: Track
  /** Called when the database refuses this node for good. If omitted, heartbeats are retried regardless. */
  onFailed?(error: unknown): void
}

export type Heartbeat = {
  now(): void
  /** Removes the node from the lists. */
  end(): Promise<void>
}

const BEAT_MS = 1_000
const SELDOM_BEATS = 30
const FORGET_MS = 600_000

/** Reports every second that the node is alive, with its stats. The first beat adds it to the lists. */
export function startHeartbeat({ node, nodes, clock, stats, ...deps }: HeartbeatDeps): Heartbeat {
  let beats = 0
  const loop = startLoop({
    ...deps,
    everyMs: BEAT_MS,
    isShort: true,
    async work() {
      const orders = await nodes.heartbeat({ ...node, stats: stats() })
      deps.onOrders?.(orders)
      if (beats++ % SELDOM_BEATS > 0) return
      await clock.adjust()
      await nodes.forget(FORGET_MS)
      await deps.onSeldom?.()
    },
  })
  return {
    now: loop.now,
    async end() {
      await loop.end()
      await nodes.remove(node.id)
    },
  }
}

const MAX_WARNING = 500

/** A logger that remembers its last warning, for the heartbeat to report. */
export function rememberWarnings(log: Logger, clock: Pick<Clock, 'now'>): { log: Logger; lastWarning(): string } {
  let last = ''
  const remembering: Logger = Object.create(log)
  remembering.warn = (...words: unknown[]): void => {
    const [first, second] = words
    const { error } = (typeof first === 'object' && first !== null ? first : {}) as { error?: unknown }
    const text = [second ?? first, error].filter((word) => typeof word === 'string').join(': ')
    last = `${new Date(clock.now()).toISOString()} ${text}`.slice(0, MAX_WARNING)
    log.warn(...(words as [object, string]))
  }
  return { log: remembering, lastWarning: () => last }
}
