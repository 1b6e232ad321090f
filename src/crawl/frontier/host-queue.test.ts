import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { QueuedRequest } from '../../core/request.ts'
import { offerOf } from '../../store/conformance/samples.testkit.ts'
import {
  addArrivals,
  addLoaded,
  createHostQueue,
  cutBack,
  giveUpLoad,
  type HostQueue,
  isIdle,
  putBackInOrder,
} from './host-queue.ts'

const state = { id: 1, host: 'a.example', queued: 0, nextAt: 0, failures: 0, rests: 0 }

function rowOf(priority: number, seq: number): QueuedRequest {
  return { ...offerOf('a.example', `/${seq}`, { priority }), hostId: 1, seq, attempts: 0 }
}

function seqsOf(hostQueue: HostQueue): number[] {
  return hostQueue.buffer.map(({ seq }) => seq)
}

function emptyHostQueue(): HostQueue {
  return { ...createHostQueue(state, 0), more: false }
}

describe('host queue', () => {
  test('sorts arrivals by priority, then by order of arrival', () => {
    const hostQueue = emptyHostQueue()
    addArrivals(hostQueue, [rowOf(2, 1), rowOf(1, 2), rowOf(2, 3), rowOf(0, 4)], 10)
    assert.deepEqual(seqsOf(hostQueue), [4, 2, 1, 3])
    assert.equal(hostQueue.more, false)
  })

  test('leaves rows behind a full buffer on disk, and all rows after them', () => {
    const hostQueue = emptyHostQueue()
    addArrivals(hostQueue, [rowOf(0, 1), rowOf(0, 2), rowOf(0, 3)], 2)
    assert.deepEqual(seqsOf(hostQueue), [1, 2])
    assert.equal(hostQueue.more, true)
    hostQueue.buffer.shift()
    addArrivals(hostQueue, [rowOf(0, 4)], 2)
    assert.deepEqual(seqsOf(hostQueue), [2], 'row 3 is on disk and goes before row 4')
  })

  test('accepts rows that belong before the end of its buffer even when full', () => {
    const hostQueue = emptyHostQueue()
    addArrivals(hostQueue, [rowOf(5, 1), rowOf(5, 2), rowOf(5, 3), rowOf(1, 4)], 2)
    assert.deepEqual(seqsOf(hostQueue), [4, 1, 2])
  })

  test('neither loses nor duplicates a row that arrives during a load', () => {
    const read = createHostQueue(state, 0)
    read.loading = true
    addArrivals(read, [rowOf(3, 9)], 10)
    addLoaded(read, [rowOf(5, 1), rowOf(5, 2)], 2)
    assert.deepEqual(seqsOf(read), [9, 1, 2], 'it belongs before the end of what was loaded')
    const included = createHostQueue(state, 0)
    included.loading = true
    addArrivals(included, [rowOf(3, 9)], 10)
    addLoaded(included, [rowOf(3, 9), rowOf(5, 1)], 2)
    assert.deepEqual(seqsOf(included), [9, 1])
    const ended = createHostQueue(state, 0)
    ended.loading = true
    addArrivals(ended, [rowOf(7, 9)], 10)
    addLoaded(ended, [rowOf(5, 1)], 2)
    assert.deepEqual(seqsOf(ended), [1, 9], 'the load saw the end of the queue before the row came')
    assert.equal(ended.more, false)
  })

  test('is unchanged by a failed load', () => {
    const hostQueue = createHostQueue(state, 0)
    hostQueue.loading = true
    addArrivals(hostQueue, [rowOf(0, 1)], 10)
    giveUpLoad(hostQueue)
    assert.deepEqual(seqsOf(hostQueue), [])
    assert.equal(hostQueue.more, true)
    assert.equal(isIdle(hostQueue), false)
  })

  test('puts a row back at its place in the order', () => {
    const hostQueue = emptyHostQueue()
    addArrivals(hostQueue, [rowOf(1, 1), rowOf(1, 2)], 10)
    const row = hostQueue.buffer.shift()!
    addArrivals(hostQueue, [rowOf(0, 3)], 10)
    putBackInOrder(hostQueue, row)
    assert.deepEqual(seqsOf(hostQueue), [3, 1, 2])
  })

  test('accepts 200,000 rows in front of the queue at once', () => {
    const hostQueue = emptyHostQueue()
    addArrivals(hostQueue, [rowOf(200_000, 1)], 10)
    const row = rowOf(0, 0)
    const rows = Array.from({ length: 200_000 }, (_, n) => ({ ...row, priority: 199_999 - n, seq: n + 2 }))
    addArrivals(hostQueue, rows, 10)
    assert.equal(hostQueue.buffer.length, 200_001)
    assert.equal(hostQueue.buffer[0]!.seq, 200_001)
    cutBack(hostQueue, 4)
    assert.deepEqual(seqsOf(hostQueue), [200_001, 200_000, 199_999, 199_998])
  })

  test('hands out rows in order and once each, for any sequence of arrivals, loads and returns', () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('arrive' as const),
          priorities: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 30, size: 'max' }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constantFrom('ask' as const, 'answer' as const, 'fail' as const) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constantFrom('take' as const, 'settle' as const, 'put-back' as const, 'cut' as const),
        }),
      },
    )
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 120, size: 'max' }),
        fc.integer({ min: 1, max: 6 }),
        (steps, capacity) => {
          const model = createModel(capacity)
          for (const step of steps) model.apply(step)
          model.drain()
        },
      ),
      { numRuns: 300 },
    )
  })
})

type Step =
  | { kind: 'arrive'; priorities: number[] }
  | { kind: 'ask' | 'answer' | 'fail' | 'take' | 'settle' | 'put-back' | 'cut' }

/** A model of the disk as a sorted list, next to the host queue. The head of the queue must be the least row that is not in flight. */
function createModel(capacity: number) {
  const hostQueue = emptyHostQueue()
  let disk: QueuedRequest[] = []
  const out: QueuedRequest[] = []
  let answer: QueuedRequest[] = []
  const settledSeqs = new Set<number>()
  let seq = 0

  const inOrder = (a: QueuedRequest, b: QueuedRequest): number => a.priority - b.priority || a.seq - b.seq
  const isBehind = (row: QueuedRequest): boolean =>
    hostQueue.position === null || inOrder(hostQueue.position as QueuedRequest, row) < 0

  function arrive(priorities: readonly number[]): void {
    const rows = priorities.map((priority) => rowOf(priority, ++seq))
    disk = [...disk, ...rows].sort(inOrder)
    addArrivals(hostQueue, rows, capacity)
  }

  function ask(): void {
    if (hostQueue.loading || !hostQueue.more) return
    hostQueue.loading = true
    answer = disk.filter(isBehind).slice(0, capacity)
  }

  function take(): void {
    const row = hostQueue.buffer.shift()
    if (row === undefined) return
    const least = disk.find((other) => !out.includes(other))
    assert.equal(row.seq, least?.seq)
    out.push(disk.find((other) => other.seq === row.seq)!)
  }

  function settle(): void {
    const row = out.shift()
    if (row === undefined) return
    assert.ok(!settledSeqs.has(row.seq))
    settledSeqs.add(row.seq)
    disk = disk.filter((other) => other !== row)
  }

  const actions = {
    ask,
    take,
    settle,
    answer: () => hostQueue.loading && addLoaded(hostQueue, answer, capacity),
    fail: () => hostQueue.loading && giveUpLoad(hostQueue),
    'put-back'() {
      const row = out.pop()
      if (row !== undefined) putBackInOrder(hostQueue, row)
    },
    cut: () =>
      out.length === 0 && !hostQueue.loading && hostQueue.buffer.length > capacity && cutBack(hostQueue, capacity),
  }

  return {
    apply(step: Step): void {
      if (step.kind === 'arrive') arrive(step.priorities)
      else actions[step.kind]()
    },
    drain(): void {
      for (let turns = 0; disk.length > 0; turns++) {
        assert.ok(turns < 10_000, 'rows were left behind')
        ask()
        actions.answer()
        take()
        settle()
      }
      assert.equal(settledSeqs.size, seq)
      if (hostQueue.more) {
        ask()
        actions.answer()
      }
      assert.ok(isIdle(hostQueue))
    },
  }
}
