import type { CounterName } from '../../crawl/worker/shared-counters.ts'
import type { NodeReport, NodeStore } from '../../store/contracts/cluster/nodes.ts'
import { statOf } from '../../store/rules/node-state.ts'
import type { CrawlCounters } from './activity.ts'

/**
 * Counters of a whole cluster, aggregated from the reports of its nodes. Monotonic counters are summed by their growth at each node: a
 * new node adds its past work to the totals but not to current rates, and a lost node's work remains. Gauges are summed over live
 * nodes.
 */
export type NodeCounters = CrawlCounters & { refresh(): Promise<void> }

export type NodeCountersDeps = {
  nodes: Pick<NodeStore, 'list' | 'isHeld'>
  /** A node not seen for this long is ignored. */
  lostMs: number
}

const counters = ['fetched', 'stored', 'unchanged', 'duplicates', 'failed', 'redirects', 'links', 'bytes'] as const
type Counter = (typeof counters)[number]
const isCounter = (name: CounterName): name is Counter => (counters as readonly string[]).includes(name)

/** Maximum number of nodes remembered, in case lost ones come back. */
const MAX_REMEMBERED = 10_000

const crawls = ({ role }: NodeReport): boolean => role !== 'serve'

export function createNodeCounters({ nodes, lostMs }: NodeCountersDeps): NodeCounters {
  const totals = zeros()
  const flows = zeros()
  const known = new Map<string, Record<Counter, number>>()
  let living: NodeReport[] = []
  let isThrottled = false
  let isRead = false

  function count(node: NodeReport): void {
    const now = Object.fromEntries(counters.map((name) => [name, statOf(node, name)])) as Record<Counter, number>
    const before = known.get(node.id)
    for (const name of counters) {
      const grown = Math.max(0, now[name] - (before?.[name] ?? 0))
      totals[name] += grown
      if (before !== undefined) flows[name] += grown
    }
    known.delete(node.id)
    known.set(node.id, now)
    if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!)
  }

  function sum(name: CounterName): number {
    let all = 0
    for (const node of living) all += statOf(node, name)
    return all
  }

  return {
    async refresh() {
      const [all, held] = await Promise.all([nodes.list(), nodes.isHeld()])
      const workers = all.filter(crawls)
      for (const node of workers) count(node)
      living = workers.filter(({ seenMsAgo }) => seenMsAgo <= lostMs)
      isThrottled = held
      isRead = true
    },
    total: (name) => (isCounter(name) ? totals[name] : sum(name)),
    flow: (name) => (isCounter(name) ? flows[name] : sum(name)),
    isThrottled: () => isThrottled,
    whyIdle() {
      if (isRead && living.length === 0) return 'No worker is running. Start one to fetch pages.'
      // As long as one of them can write, something is fetched.
      if (living.some((node) => statOf(node, 'paused') === 0)) return null
      return isRead ? 'The store is not accepting writes from any worker. See their logs for the reason.' : null
    },
  }
}

function zeros(): Record<Counter, number> {
  return Object.fromEntries(counters.map((name) => [name, 0])) as Record<Counter, number>
}
