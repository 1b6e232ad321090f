import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../scheduler.testkit.ts'
import { type HeapNode, popNode, pushNode, removeNode } from './heap.ts'

const byKey = (a: HeapNode, b: HeapNode): number => a.key - b.key || a.id - b.id

test('several heaps sharing a pool of nodes behave like sorted lists', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = createRandom(seed)
    const nodes = Array.from({ length: 100 }, (_, id): HeapNode => ({ id, key: 0, heapIndex: -1 }))
    const heaps: HeapNode[][] = [[], [], []]
    const lists: HeapNode[][] = [[], [], []]
    for (let step = 0; step < 1_500; step++) {
      const which = random.below(3)
      const heap = heaps[which]!
      const list = lists[which]!
      const node = random.of(nodes)
      if (random.chance(0.55)) {
        assert.equal(
          node.heapIndex !== -1,
          lists.some((other) => other.includes(node)),
        )
        if (node.heapIndex !== -1) continue
        pushNode(heap, node, random.below(20))
        list.push(node)
      } else if (list.length > 0) {
        const gone = random.chance(0.5) ? list.toSorted(byKey)[0]! : random.of(list)
        if (gone === heap[0]) assert.equal(popNode(heap), gone)
        else removeNode(heap, gone)
        list.splice(list.indexOf(gone), 1)
      }
      assert.equal(heap[0], list.toSorted(byKey)[0])
    }
  }
})

test('popping an empty heap returns undefined', () => {
  assert.equal(popNode([]), undefined)
})
