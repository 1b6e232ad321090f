import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import { readTextPattern, type TextPattern } from './text-pattern.ts'

function patternOf(source: string, ignoreCase = false): TextPattern {
  const read = readTextPattern(source, { ignoreCase })
  assert.ok(read.kind === 'pattern', `${source} is wrong`)
  return read.pattern
}

describe('text pattern', () => {
  const sources =
    String.raw`a a|b ab|a a|ab (a|b)*c a+b? a{2,3}b [a-c]+d [^a-c] ^a a$ ^a*b$ \ba a\b \Ba \bab\b \d+ a.c (?:ab)+ (a*)*b
    (a+)+$ (a|ab)(c|bcd) (a?){5}b (^a|b$) (a|^)b .*b a.*?b (?:a|b)+?c é[^a] a??b a{2} [é-ü]b \s\S`.split(/\s+/)
  for (const source of sources)
    test(`finds ${source} where JavaScript finds it`, () => {
      const pattern = patternOf(source)
      const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', ' ', '1', 'é', '-', '\n'), maxLength: 14 })
      fc.assert(
        fc.property(text, (value) => {
          const match = new RegExp(source).exec(value)
          const expected = match === null ? null : { start: match.index, end: match.index + match[0].length }
          assert.deepEqual(pattern.find(value, 0, createWorkBudget()), expected)
        }),
        { numRuns: 200 },
      )
    })

  test('ignores case if requested', () => {
    assert.deepEqual(patternOf('größe [a-c]x', true).find('die GRÖSSE GRÖßE Bx', 0, createWorkBudget()), {
      start: 11,
      end: 19,
    })
    assert.equal(patternOf('[^a]', true).find('aAa', 0, createWorkBudget())?.start, 0)
  })

  test('continues the search from a given position', () => {
    assert.deepEqual(patternOf('\\bx').find('x xx x', 1, createWorkBudget()), { start: 2, end: 3 })
  })

  test('stays within the budget for catastrophic expressions and texts', () => {
    const text = Array.from({ length: 200_000 }, (_, n) => ((n * n) % 7 < 3 ? 'a' : 'b')).join('')
    for (const source of ['[ab]*a[ab]{250}c', '(?:.*a){60}c', '(a+)+c', '(a|b|ab)*c']) {
      const budget = createWorkBudget(1_000_000)
      assert.equal(patternOf(source).find(text, 0, budget), null)
      assert.ok(budget.left > -10_000)
    }
  })

  const wrong: Record<string, RegExp> = {
    '(': /invalid regular expression/,
    '(?=a)': /cannot have/,
    '(a)\\1': /cannot have/,
    'a*': /every text/,
    '^': /every text/,
    '(?:a{50}){10}': /more than 300 steps/,
  }
  for (const [source, why] of Object.entries(wrong))
    test(`refuses ${source}`, () => {
      const read = readTextPattern(source, { ignoreCase: false })
      assert.match(read.kind === 'wrong' ? read.why : '', why)
    })
})
