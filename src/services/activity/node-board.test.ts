import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NodeReport } from '../../store/contracts/nodes.ts'
import { createNodeBoard } from './node-board.ts'

type Parts = Partial<Omit<NodeReport, 'figures'>>

function nodeOf(id: string, figures: Record<string, unknown>, parts: Parts = {}): NodeReport {
  const place = { name: id, role: 'worker', host: 'box', pid: 1 } as const
  return { id, ...place, startedMsAgo: 1, seenMsAgo: 0, draining: false, partitions: 1, ...parts, figures }
}

function openNodeBoard() {
  const seen = { nodes: [] as NodeReport[], held: false }
  const board = createNodeBoard({
    nodes: { list: async () => seen.nodes, isHeld: async () => seen.held },
    lostMs: 10_000,
  })
  async function look(...nodes: NodeReport[]) {
    seen.nodes = nodes
    await board.refresh()
  }
  return { board, seen, look }
}

describe('the board of a cluster', () => {
  test('sums over the workers that live; who serves fetches nothing', async () => {
    const { board, look } = openNodeBoard()
    await look(
      nodeOf('a', { fetched: 10, queued: 5, inFlight: 1 }),
      nodeOf('b', { fetched: 20, queued: 7, inFlight: 2 }),
      nodeOf('lost', { fetched: 30, queued: 100, inFlight: 3 }, { seenMsAgo: 10_001 }),
      nodeOf('s', { fetched: 1000, queued: 1000 }, { role: 'serve' }),
    )
    assert.deepEqual([board.total('fetched'), board.total('queued'), board.total('inFlight')], [60, 12, 3])
  })

  test('a worker that comes or goes is no work of this moment, and what it has done stays done', async () => {
    const { board, look } = openNodeBoard()
    await look(nodeOf('a', { fetched: 1000 }))
    assert.deepEqual([board.total('fetched'), board.flow!('fetched')], [1000, 0])
    await look(nodeOf('a', { fetched: 1010 }), nodeOf('b', { fetched: 5000 }))
    assert.deepEqual([board.total('fetched'), board.flow!('fetched')], [6010, 10])
    await look(nodeOf('b', { fetched: 5020 }))
    assert.deepEqual([board.total('fetched'), board.flow!('fetched')], [6030, 30])
    await look(nodeOf('a', { fetched: 1010 }), nodeOf('b', { fetched: 5020 }))
    assert.deepEqual([board.total('fetched'), board.flow!('fetched')], [6030, 30], 'who comes back counts once')
  })

  test('what a node says of itself may be missing or nonsense', async () => {
    const { board, look } = openNodeBoard()
    await look(nodeOf('a', {}), nodeOf('b', { fetched: 'many', queued: Number.NaN, bytes: -5 }))
    assert.deepEqual([board.total('fetched'), board.total('queued'), board.total('bytes')], [0, 0, 0])
  })

  test('says why nothing is fetched', async () => {
    const { board, seen, look } = openNodeBoard()
    assert.equal(board.whyIdle!(), null, 'nobody has looked yet')
    await look(nodeOf('s', {}, { role: 'serve' }))
    assert.match(board.whyIdle!()!, /No worker/)
    await look(nodeOf('a', { paused: 1 }), nodeOf('b', { paused: 0 }))
    assert.equal(board.whyIdle!(), null)
    await look(nodeOf('a', { paused: 1 }), nodeOf('b', { paused: 1 }))
    assert.match(board.whyIdle!()!, /takes no writes/)
    seen.held = true
    await board.refresh()
    assert.equal(board.isHeld(), true)
  })
})
