import { type Clock, systemClock } from '../core/clock.ts'
import { AppError, isAppError } from '../core/errors.ts'
import type { ClusterFacts, NodeReport, NodeStore } from '../store/contracts/cluster/nodes.ts'

/** Sums over all partitions. */
export type FrontierTotals = { totals(run: number): Promise<{ queued: number; seen: number; hosts: number }> }

export type HeavyHost = { host: string; queued: number }

export type ClusterControlDeps = {
  nodes: NodeStore
  frontier: FrontierTotals & { heavyHosts(limit: number): Promise<HeavyHost[]> }
  countTasks(): Promise<number>
  facts(): Promise<ClusterFacts>
  clock?: Pick<Clock, 'monotonic'>
}

/** How long silent nodes stay in the list. */
const FORGOTTEN_MS = 86_400_000
const FORGET_EVERY_MS = 60_000
/** There may be millions of tasks and hosts, and counting them takes time. */
const COUNT_EVERY_MS = 2_000
const HEAVY_HOSTS = 5

/** Monitors and controls a cluster through its store alone, regardless of which nodes are running. */
export function createClusterControl({ nodes, frontier, countTasks, facts, clock = systemClock }: ClusterControlDeps) {
  let forgetAt = Number.NEGATIVE_INFINITY
  let countAt = Number.NEGATIVE_INFINITY
  let tasks = 0
  let heavyHosts: HeavyHost[] = []
  let totals = { queued: 0, seen: 0, hosts: 0 }

  async function count(): Promise<void> {
    if (clock.monotonic() < countAt) return
    tasks = await countTasks()
    heavyHosts = await frontier.heavyHosts(HEAVY_HOSTS)
    countAt = clock.monotonic() + COUNT_EVERY_MS
  }

  return {
    async snapshot() {
      if (clock.monotonic() >= forgetAt) {
        await nodes.forget(FORGOTTEN_MS)
        forgetAt = clock.monotonic() + FORGET_EVERY_MS
      }
      const [list, now] = await Promise.all([nodes.list(), facts()])
      // Some servers of a distributed store may be down while the rest answer: keep the last counts then.
      let problem: string | null = null
      try {
        const { queued, seen, hosts } = await frontier.totals(now.run?.id ?? 0)
        totals = { queued, seen, hosts }
        await count()
      } catch (error) {
        if (!isAppError(error) || error.retry === 'never') throw error
        problem = error.message
      }
      return { nodes: list, ...now, ...totals, tasks, heavyHosts, problem }
    },
    async drain(name: string, draining: boolean): Promise<string> {
      const node = pick(await nodes.list(), name)
      if (!(await nodes.drain(node.id, draining))) throw new AppError('not-found', `${name} has just left`)
      return node.id
    },
    pause: nodes.pause,
  }
}

/** By id, or by a unique name. */
function pick(nodes: readonly NodeReport[], name: string): NodeReport {
  const byId = nodes.find(({ id }) => id === name)
  if (byId !== undefined) return byId
  const named = nodes.filter((node) => node.name === name)
  if (named.length === 1) return named[0]!
  if (named.length > 1)
    throw new AppError('usage-wrong', `${named.length} nodes have this name; use an id: ${listOf(named, 'id')}`)
  const there = nodes.length === 0 ? 'there are none' : `there are: ${listOf(nodes, 'name')}`
  throw new AppError('not-found', `no node has the id or name ${name}; ${there}`)
}

const MAX_LISTED = 20

function listOf(nodes: readonly NodeReport[], part: 'id' | 'name'): string {
  const words = [...new Set(nodes.map((node) => node[part]))]
  return `${words.slice(0, MAX_LISTED).join(', ')}${words.length > MAX_LISTED ? ', …' : ''}`
}
