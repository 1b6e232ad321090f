import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVersionSet } from './version-set.ts'

test('a version set has the added ids, in order and in batches', () => {
  const set = createVersionSet()
  const ids = [1, 7, 8, 65_535, 65_536, 200_000, 3_000_000_000, 2 ** 52 + 7]
  for (const id of ids.toReversed()) set.add(id)
  set.add(7)
  assert.equal(set.size, ids.length)
  assert.ok(ids.every(set.has))
  assert.ok([0, 2, 6, 9, 65_537, 199_999, 3_000_000_001, 2 ** 52 + 8].every((id) => !set.has(id)))
  assert.deepEqual([...set.batches(3)], [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
  assert.deepEqual([...createVersionSet().batches(3)], [])
})

test('a version set keeps dense and sparse ids, added in any order', () => {
  for (const step of [1, 7, 512, 100_003]) {
    const ids = Array.from({ length: 20_000 }, (_, n) => n * step + 5)
    const set = createVersionSet()
    for (let n = 0; n < ids.length; n++) set.add(ids[(n * 7919) % ids.length]!)
    for (const id of ids.slice(0, 100)) set.add(id)
    assert.equal(set.size, ids.length)
    assert.deepEqual([...set.batches(1000)].flat(), ids)
    assert.equal(set.has(ids.at(-1)! + 1), false)
  }
})
