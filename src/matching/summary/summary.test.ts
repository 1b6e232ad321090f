import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Passage, summarise } from './summary.ts'

/** All places of some words, as passages. */
function found(text: string, weights: Record<string, number>): Passage[] {
  return Object.entries(weights).map(([word, weight]) => ({
    weight,
    places: [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => ({
      where: 'body',
      start: index,
      end: index + word.length,
    })),
  }))
}

const filler = 'Nothing of interest is said in this sentence here. '

describe('a summary', () => {
  test('shows the passage with the most valuable matches, from the start of its sentence', () => {
    const text = `${filler.repeat(20)}The price of solar panels fell. ${filler.repeat(20)}One price. ${filler.repeat(5)}`
    const summary = summarise(text, found(text, { price: 1, 'solar panels': 5 }), { maxPassages: 1 })
    assert.match(summary.text, /^… The price of solar panels fell\. Nothing/)
    assert.deepEqual(
      summary.marks.map(([from, to]) => summary.text.slice(from, to)),
      ['price', 'solar panels'],
    )
  })

  test('shows several passages with different matches, in the order of the text', () => {
    const text = `${filler.repeat(9)}Java is mentioned. ${filler.repeat(9)}IBM is, too. ${filler.repeat(9)}Java once more. ${filler.repeat(9)}`
    const summary = summarise(text, found(text, { Java: 3, IBM: 4 }))
    const marked = summary.marks.map(([from, to]) => summary.text.slice(from, to))
    assert.deepEqual(marked, ['Java', 'IBM'])
    assert.equal(summary.text.split(' … ').length, 2)
  })

  test('is the start of the text if there are no matches', () => {
    assert.deepEqual(summarise('A short text.', []), { text: 'A short text.', marks: [] })
    const { text } = summarise(filler.repeat(20), [])
    assert.ok(filler.repeat(20).startsWith(text.replace(/ …$/, '')))
    assert.match(text, / …$/)
    assert.deepEqual(summarise('', []), { text: '', marks: [] })
  })

  test('is cut between characters if the text has no spaces', () => {
    const text = '😀'.repeat(1_000)
    const summary = summarise(text, [{ weight: 1, places: [{ where: 'body', start: 1_000, end: 1_002 }] }])
    assert.doesNotMatch(summary.text, /^[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/u)
    assert.ok(summary.text.length <= 400)
  })

  test('respects the maximum length, and its marks are ordered, disjoint matches', () => {
    const piece = fc.constantFrom('solar', 'panel', 'x', '. ', ' ', '\n', 'solarpanel', 'longer words ', '東京', '! ')
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 300 }),
        fc.integer({ min: 60, max: 400 }),
        fc.integer({ min: 1, max: 4 }),
        (pieces, maxLength, maxPassages) => {
          const text = pieces.join('')
          const summary = summarise(text, found(text, { solar: 2, panel: 1, solarpanel: 3 }), {
            maxLength,
            maxPassages,
          })
          assert.ok(summary.text.length <= maxLength, `${summary.text.length} of ${maxLength}`)
          let last = 0
          for (const [from, to] of summary.marks) {
            assert.ok(from >= last && to > from && to <= summary.text.length)
            assert.match(summary.text.slice(from, to), /^(solar|panel|solarp?a?n?e?)/)
            last = to
          }
          if (/solar|panel/.test(text)) assert.ok(summary.marks.length > 0)
        },
      ),
    )
  })

  test('of a million matches takes linear time, even if all of them start at the same place', () => {
    const text = 'solar '.repeat(1_000_000)
    const million = (placeOf: (n: number) => Passage['places'][number]): Passage => ({
      weight: 1,
      places: Array.from({ length: 1_000_000 }, (_, n) => placeOf(n)),
    })
    const apart = summarise(text, [million((n) => ({ where: 'body', start: n * 6, end: n * 6 + 5 }))])
    assert.ok(apart.text.length <= 400)
    assert.deepEqual(new Set(apart.marks.map(([from, to]) => apart.text.slice(from, to))), new Set(['solar']))
    const together = summarise(text, [million((n) => ({ where: 'body', start: 0, end: n + 1 }))])
    assert.ok(together.text.length <= 400)
    assert.equal(together.marks.length, 1)
  })
})
