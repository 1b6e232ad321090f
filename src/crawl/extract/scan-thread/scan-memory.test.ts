import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRing, MAX_PAGE_BYTES, placeAt, placeBytes } from './scan-memory.ts'

/** A small seeded generator: the same steps in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('ring of places', () => {
  test('never hands out a place that overlaps one in use', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = createRandom(seed)
      const ring = createRing(1000)
      const used: { start: number; end: number }[] = []
      let given = 0
      for (let step = 0; step < 3000; step++) {
        if (random(2) === 0) {
          const count = random(used.length + 1)
          ring.free(count)
          used.splice(0, count)
          continue
        }
        const bytes = 4 * (1 + random(60))
        const start = ring.take(bytes)
        if (start === null) continue
        given++
        const end = start + bytes
        assert.ok(start >= 0 && end <= 1000)
        for (const each of used) assert.ok(end <= each.start || start >= each.end, `seed ${seed}, step ${step}`)
        used.push({ start, end })
      }
      assert.ok(given > 500)
    }
  })

  test('is used completely, and again from its start', () => {
    const ring = createRing(100)
    assert.deepEqual([ring.take(60), ring.take(40), ring.take(1)], [0, 60, null])
    ring.free(1)
    assert.deepEqual([ring.take(61), ring.take(60), ring.take(1)], [null, 0, null])
    ring.free(2)
    assert.equal(ring.take(100), 0)
    ring.free(1)
    assert.equal(ring.take(101), null)
  })

  test('leaves its end empty if a place does not fit there', () => {
    const ring = createRing(100)
    assert.deepEqual([ring.take(50), ring.take(30)], [0, 50])
    ring.free(1)
    assert.deepEqual([ring.take(40), ring.take(11), ring.take(10)], [0, null, 40])
    ring.free(1)
    assert.deepEqual([ring.take(50), ring.take(1)], [50, null])
  })
})

test('the parts of a place follow each other, for every length', () => {
  for (const start of [0, 4096])
    for (let label = 0; label < 9; label++)
      for (let page = 0; page < 9; page++) {
        const place = placeAt(start, label, page)
        assert.equal(place.head * 4, start)
        assert.ok(place.digest > start)
        assert.equal(place.label - place.digest, 32)
        assert.equal(place.page, place.label + label)
        assert.ok(place.findings * 4 >= place.page + page && place.findings * 4 < place.page + page + 4)
        assert.equal(start + placeBytes(label, page), 4 * (place.findings + place.maxFindings))
      }
  assert.notEqual(createRing().take(placeBytes(2000, MAX_PAGE_BYTES)), null)
})
