import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NodeReport } from '../../store/contracts/cluster/nodes.ts'
import { createNodeCounters } from './node-board.ts'

type Parts = Partial<Omit<NodeReport, 'stats'>>

function nodeOf(id: string, stats: Record<string, unknown>, parts: Parts = {}): NodeReport {
  const place = { name: id, role: 'worker', host: 'box', pid: 1 } as const
  return { id, ...place, startedMsAgo: 1, seenMsAgo: 0, draining: false, partitions: 1, ...parts, stats }
}

function openNodeCounters() {
  const seen = { nodes: [] as NodeReport[], held: false }
  const counters = createNodeCounters({
    nodes: { list: async () => seen.nodes, isHeld: async () => seen.held },
    lostMs: 10_000,
  })
  async function look(...nodes: NodeReport[]) {
    seen.nodes = nodes
    await counters.refresh()
  }
  return { counters, seen, look }
}

describe('cluster counters', () => {
  test('sum gauges over live workers and totals over lost ones too, without server nodes', async () => {
    const { counters, look } = openNodeCounters()
    await look(
      nodeOf('a', { fetched: 10, queued: 5, inFlight: 1 }),
      nodeOf('b', { fetched: 20, queued: 7, inFlight: 2 }),
      nodeOf('lost', { fetched: 30, queued: 100, inFlight: 3 }, { seenMsAgo: 10_001 }),
      nodeOf('s', { fetched: 1000, queued: 1000 }, { role: 'serve' }),
    )
    assert.deepEqual([counters.total('fetched'), counters.total('queued'), counters.total('inFlight')], [60, 12, 3])
  })

  test('joining or leaving workers do not change the flow, and their totals are kept', async () => {
    const { counters, look } = openNodeCounters()
    await look(nodeOf('a', { fetched: 1000 }))
    assert.deepEqual([counters.total('fetched'), counters.flow!('fetched')], [1000, 0])
    await look(nodeOf('a', { fetched: 1010 }), nodeOf('b', { fetched: 5000 }))
    assert.deepEqual([counters.total('fetched'), counters.flow!('fetched')], [6010, 10])
    await look(nodeOf('b', { fetched: 5020 }))
    assert.deepEqual([counters.total('fetched'), counters.flow!('fetched')], [6030, 30])
    await look(nodeOf('a', { fetched: 1010 }), nodeOf('b', { fetched: 5020 }))
    assert.deepEqual([counters.total('fetched'), counters.flow!('fetched')], [6030, 30], 'who comes back counts once')
  })

  test('treat missing or invalid figures of a node as zero', async () => {
    const { counters, look } = openNodeCounters()
    await look(nodeOf('a', {}), nodeOf('b', { fetched: 'many', queued: Number.NaN, bytes: -5 }))
    assert.deepEqual([counters.total('fetched'), counters.total('queued'), counters.total('bytes')], [0, 0, 0])
  })

  test('say why nothing is fetched', async () => {
    const { counters, seen, look } = openNodeCounters()
    assert.equal(counters.whyIdle!(), null, 'not read yet')
    await look(nodeOf('s', {}, { role: 'serve' }))
    assert.match(counters.whyIdle!()!, /No worker/)
    await look(nodeOf('a', { paused: 1 }), nodeOf('b', { paused: 0 }))
    assert.equal(counters.whyIdle!(), null)
    await look(nodeOf('a', { paused: 1 }), nodeOf('b', { paused: 1 }))
    assert.match(counters.whyIdle!()!, /not accepting writes/)
    seen.held = true
    await counters.refresh()
    assert.equal(counters.isThrottled(), true)
  })
})
