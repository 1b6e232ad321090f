import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readDocument } from '../terms/document-terms.ts'
import { createNearDuplicateIndex } from './near-duplicate-index.ts'
import { hammingDistance, proseOf, simhash } from './simhash.ts'

const vocabulary = Array.from({ length: 800 }, (_, n) => `w${(n * 7_919) % 10_007}`)

/** A made-up story, the same for the same number. */
function story(number: number, length = 600): string[] {
  let state = number * 2_654_435_761 + 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return vocabulary[(state >>> 8) % vocabulary.length]!
  })
}

const hashOf = (words: string[]): bigint => simhash(readDocument({ url: '', title: '', text: words.join(' ') }))!
const distance = (a: string[], b: string[]): number => hammingDistance(hashOf(a), hashOf(b))

describe('the simhash of a text', () => {
  test('is the same for the same words in any case and punctuation', () => {
    const words = story(1)
    assert.equal(hashOf(words), hashOf(words.map((word, at) => (at % 3 === 0 ? `${word.toUpperCase()},` : word))))
  })

  test('is the same in every process and release', () => {
    assert.equal(hashOf(story(3)).toString(16), '25787603f3dcb53a')
  })

  test('is near for a story with a few words changed, and far for another story', () => {
    const near: number[] = []
    for (let number = 0; number < 40; number++) {
      const words = story(number, 2_000)
      near.push(distance(words, words.with(number * 7, 'changed')))
      assert.ok(distance(words, story(number + 1_000, 2_000)) > 10)
      assert.ok(distance(words, words.toReversed()) > 10)
    }
    assert.ok(near.filter((bits) => bits <= 3).length >= 38, near.join())
    assert.ok(Math.max(...near) <= 6)
  })

  test('is not given for texts that are too short', () => {
    assert.equal(simhash(readDocument({ url: '', title: '', text: story(1, 23).join(' ') })), null)
    assert.notEqual(simhash(readDocument({ url: '', title: '', text: story(1, 24).join(' ') })), null)
  })

  test('is at a distance that counts the differing bits', () => {
    assert.equal(hammingDistance(0n, 0xffffffffffffffffn), 64)
    assert.equal(hammingDistance(0b1011n << 30n, 0b1000n << 30n), 2)
  })
})

describe('the index of near-duplicates', () => {
  test('finds what a look at all of the last documents finds, the nearest first', () => {
    const signature = fc.tuple(
      fc.constantFrom(0n, 0xfedcba9876543210n),
      fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: 6 }),
    )
    const signatures = fc.array(
      signature.map(([base, bits]) => bits.reduce<bigint>((value, bit) => value ^ (1n << BigInt(bit)), base)),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(signatures, fc.integer({ min: 1, max: 20 }), (list, capacity) => {
        const index = createNearDuplicateIndex({ capacity })
        for (const [id, value] of list.entries()) {
          const kept = [...list.slice(0, id).entries()].slice(-capacity)
          const near = kept
            .map(([other, known]) => ({ id: other, distance: hammingDistance(known, value) }))
            .filter((found) => found.distance <= 3)
            .sort((a, b) => a.distance - b.distance || b.id - a.id)
          assert.deepEqual(index.find(value), near)
          index.add(id, value)
          assert.equal(index.size, Math.min(capacity, id + 1))
        }
      }),
    )
  })

  test('keeps its memory however many documents come', () => {
    const index = createNearDuplicateIndex({ capacity: 100 })
    const before = index.memoryBytes()
    for (let id = 0; id < 10_000; id++) index.add(id, 7n)
    assert.equal(index.memoryBytes(), before)
    assert.deepEqual([index.size, index.find(7n).length, index.find(7n)[0]!.id], [100, 100, 9_999])
  })

  test('finds the same story at another place among many others', () => {
    const index = createNearDuplicateIndex()
    for (let id = 0; id < 300; id++) index.add(id, hashOf(story(id)))
    const copy = story(77).with(300, 'other')
    assert.deepEqual(
      index.find(hashOf(copy)).map(({ id }) => id),
      [77],
    )
    assert.deepEqual(index.find(hashOf(story(5_000))), [])
  })
})

const article = [
  'The ministry of finance said on Monday that the budget for next year grows by four percent.',
  'Most of the new money goes to schools, hospitals and the repair of bridges all over the country.',
  'Opposition parties called the plan a gift to builders and asked for a debate in parliament this week.',
].join('\n')

describe('the prose of a page', () => {
  test('is the same on sites that differ in all around it', () => {
    const here = `Home\nSport\nWeather\n${article}\nShare this\n© Daily Planet`
    const there = `Politics | Business | Culture\nSign in\n${article}\nMore on this topic\nImprint\nPrivacy\nJobs`
    assert.equal(proseOf(here), article)
    assert.equal(proseOf(there), article)
    const hashOf = (text: string) => simhash(readDocument({ url: '', title: '', text }))!
    assert.equal(hammingDistance(hashOf(proseOf(here)), hashOf(proseOf(there))), 0)
  })

  test('is the whole text where nothing is long enough', () => {
    assert.equal(proseOf('one\ntwo'), 'one\ntwo')
  })

  test('has long lines without spaces too', () => {
    const line = '政府は月曜日に来年度予算が四パーセント増えると発表した。'.repeat(4)
    assert.equal(proseOf(`目次\n${line}`), line)
  })
})
