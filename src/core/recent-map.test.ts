import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRecentMap, type RecentMap } from './recent-map.ts'

const keysOf = (map: RecentMap<string, number>, keys: string): string =>
  [...keys].filter((key) => map.peek(key) !== undefined).join('')

describe('a map of recent entries', () => {
  test('drops what was not used for longest', () => {
    const map = createRecentMap<string, number>({ maxEntries: 3 })
    for (const key of 'abc') map.set(key, 1)
    assert.equal(map.get('a'), 1)
    map.peek('b')
    map.set('d', 1)
    assert.equal(keysOf(map, 'abcd'), 'acd')
    map.set('c', 2)
    map.set('e', 1)
    map.set('f', 1)
    assert.equal(keysOf(map, 'abcdef'), 'cef')
    assert.deepEqual([map.get('c'), map.size], [2, 3])
  })

  test('keeps what is used all the time, however many others come', () => {
    const map = createRecentMap<number, number>({ maxEntries: 10 })
    map.set(-1, 0)
    for (let n = 0; n < 1000; n++) {
      map.set(n, n)
      assert.equal(map.get(-1), 0)
      assert.ok(map.size <= 10)
    }
  })

  test('limits the sum of weights', () => {
    const map = createRecentMap<string, number>({ maxEntries: 100, maxWeight: 10 })
    for (const key of 'abc') map.set(key, 1, 3)
    map.get('a')
    map.set('d', 1, 3)
    assert.equal(keysOf(map, 'abcd'), 'acd')
    assert.equal(map.weight, 9)
    map.set('c', 1, 10)
    assert.equal(keysOf(map, 'abcd'), 'c')
    map.set('e', 1, 11)
    assert.deepEqual([keysOf(map, 'abcde'), map.weight, map.size], ['c', 10, 1])
    map.set('c', 1, 11)
    assert.deepEqual([map.weight, map.size], [0, 0])
  })

  test('forgets what is deleted', () => {
    const map = createRecentMap<string, number>({ maxEntries: 2 })
    map.set('a', 1, 5)
    map.delete('a')
    map.delete('b')
    assert.deepEqual([map.get('a'), map.size, map.weight], [undefined, 0, 0])
  })
})
