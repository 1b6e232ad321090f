import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import type { NodeReport } from '../../store/contracts/cluster/nodes.ts'
import { createNodeList } from './node-list.ts'

const seen: NodeReport = {
  id: 'm1-7-abc',
  name: 'm1',
  role: 'serve',
  host: 'm1.example',
  pid: 7,
  stats: { threads: 2, perSecond: 1.5, rssBytes: 1e8, queued: 9, inFlight: 3, failed: 4, refused: 5, lastError: 'x' },
  startedMsAgo: 60_000,
  seenMsAgo: 500,
  draining: false,
  partitions: 128,
}

const listOf = (nodes: readonly NodeReport[], paused = false) =>
  createNodeList({
    nodes: { list: async () => [...nodes], isPaused: async () => paused, drain: async (id) => id === seen.id },
    leaseMs: 15_000,
    clock: createManualClock(Date.UTC(2026, 0, 1, 12)),
  })

describe('nodes of a cluster', () => {
  test('are listed with their stats, and times by the local clock', async () => {
    assert.deepEqual(await listOf([seen]).list(), [
      {
        id: 'm1-7-abc',
        name: 'm1',
        role: 'server',
        host: 'm1.example',
        pid: 7,
        startedAt: '2026-01-01T11:59:00.000Z',
        seenAt: '2026-01-01T11:59:59.500Z',
        threads: 2,
        partitions: 128,
        pagesPerSecond: 1.5,
        rssBytes: 1e8,
        queued: 9,
        inFlight: 3,
        errors: 4,
        refused: 5,
        lagMs: 500,
        lastError: 'x',
        state: 'running',
      },
    ])
  })

  test('get defaults for missing or invalid figures', async () => {
    const stats = { perSecond: 'fast', rssBytes: -0.4, failed: Number.NaN, lastError: 7 }
    const [node] = await listOf([{ ...seen, stats, role: 'unheard-of' as 'worker' }]).list()
    const { role, pagesPerSecond, rssBytes, errors, lastError, queued } = node!
    assert.deepEqual([role, pagesPerSecond, rssBytes + 0, errors, lastError, queued], ['worker', 0, 0, 0, '', 0])
  })

  test('are lost after the lease, with no pages per second and nothing in flight', async () => {
    const [node] = await listOf([{ ...seen, seenMsAgo: 15_001 }]).list()
    assert.deepEqual([node!.state, node!.pagesPerSecond, node!.inFlight, node!.errors], ['lost', 0, 0, 4])
  })

  test('can be drained if they exist', async () => {
    const list = listOf([seen])
    assert.deepEqual([await list.drain!('m1-7-abc', true), await list.drain!('nobody', true)], [true, false])
  })
})
