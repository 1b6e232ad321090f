import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHeapArena } from './heap-arena.ts'
import { createRandom } from './scheduler.testkit.ts'
import { createTimeQueue } from './time-queue.ts'

const byKey = (a: [number, number], b: [number, number]): number => a[1] - b[1] || a[0] - b[0]

test('several heaps over the same slots give back their least, as sorted lists do', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = createRandom(seed)
    const heap = createHeapArena({ capacity: 8, breaksTie: (a, b) => a < b })
    heap.grow(100)
    const roots = [-1, -1, -1]
    const lists: [number, number][][] = [[], [], []]
    for (let step = 0; step < 1_500; step++) {
      const which = random.below(3)
      const list = lists[which]!
      const slot = random.below(100)
      if (random.chance(0.55)) {
        if (lists.flat().some(([held]) => held === slot)) continue
        const key = random.below(20)
        roots[which] = heap.push(roots[which]!, slot, key)
        list.push([slot, key])
      } else if (list.length > 0) {
        const gone = random.chance(0.5) ? list.toSorted(byKey)[0]! : random.of(list)
        roots[which] = gone[0] === roots[which] ? heap.pop(gone[0]) : heap.remove(roots[which]!, gone[0])
        list.splice(list.indexOf(gone), 1)
      }
      assert.equal(roots[which], list.toSorted(byKey)[0]?.[0] ?? -1)
    }
  }
})

test('a time queue names the first that is due, near or far, also after a long stop', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = createRandom(seed)
    const heap = createHeapArena({ capacity: 200, breaksTie: (a, b) => a < b })
    let now = random.below(10_000_000)
    const queue = createTimeQueue(heap, now)
    const times = new Map<number, number>()
    for (let step = 0; step < 2_000; step++) {
      const slot = random.below(200)
      const known = times.get(slot)
      if (known === undefined) {
        const at = now + random.below(random.of([1, 300, 5_000, 3_600_000, 300_000_000])) - random.below(3)
        queue.push(slot, at)
        times.set(slot, at)
      } else if (random.chance(0.3)) {
        queue.remove(slot)
        times.delete(slot)
      }
      if (random.chance(0.2)) now += random.below(random.of([10, 1_000, 100_000, 500_000_000]))
      const first = [...times].sort(byKey)[0]
      assert.ok(queue.nextAt() <= (first?.[1] ?? Number.POSITIVE_INFINITY))
      assert.equal(queue.due(now), first !== undefined && first[1] <= now ? first[0] : -1)
      if (first !== undefined && first[1] <= now && random.chance(0.7)) {
        queue.remove(first[0])
        times.delete(first[0])
      }
    }
  }
})
