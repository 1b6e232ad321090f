import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createTimeHeap } from './time-heap.ts'

describe('time heap', () => {
  test('hands out due items, earliest first, and nothing before it is due', () => {
    const heap = createTimeHeap<string>()
    heap.push('late', 30)
    heap.push('soon', 10)
    heap.push('middle', 20)
    assert.equal(heap.nextDueAt(), 10)
    assert.equal(heap.popDue(9), undefined)
    assert.equal(heap.popDue(20), 'soon')
    assert.equal(heap.popDue(20), 'middle')
    assert.equal(heap.popDue(20), undefined)
    assert.equal(heap.size(), 1)
    assert.equal(heap.popDue(30), 'late')
    assert.equal(heap.nextDueAt(), undefined)
    assert.equal(heap.popDue(Infinity), undefined)
  })

  test('behaves like a sorted list under random pushes and pops', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), at: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ kind: fc.constant('pop' as const), at: fc.integer({ min: 0, max: 50 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const heap = createTimeHeap<number>()
        const list: number[] = []
        for (const { kind, at } of steps) {
          if (kind === 'push') {
            heap.push(at, at)
            list.push(at)
            list.sort((a, b) => a - b)
          } else {
            assert.equal(heap.popDue(at), list[0] !== undefined && list[0] <= at ? list.shift() : undefined)
          }
          assert.equal(heap.size(), list.length)
          assert.equal(heap.nextDueAt(), list[0])
        }
      }),
    )
  })
})
