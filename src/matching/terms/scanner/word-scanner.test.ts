import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readDocument } from '../document-terms.ts'
import { findStemmer } from '../stem/stemmers.ts'
import type { TermView } from '../term-view.ts'
import { foldTerm } from '../words.ts'
import { MAX_FOUND, TEXT_UNITS } from './assembly/wire.ts'
import { readNaively } from './naive-words.testkit.ts'

/** Letters of many scripts, and all special cases. */
const characters = [
  ...'abcxyzABCXYZ0189',
  ...'éßÄöüñøłİıſﬁ²½Ａｚ０',
  ...'жйїЁσςΩאבשُّكتاالकिताब한국어',
  ...'\u0301\u0308\u0327\u093e\u05b8\u064e\u200d\u00ad\ufeff\u0640\u20dd',
  ...'東京都日本へカｶﾞがสวัสดีកမ々〇豈𠀀𝐁𝟘😀',
  ...'+#-_.’–…。、\u00a0\u2028\n ',
  '\ud800',
  '\udc00',
  'c++ ',
  'c# ',
  ' ',
  ' ',
  ' ',
]
const words = [
  'the',
  'Houses',
  'naïve',
  'naive',
  'größer',
  'grosser',
  'Müller',
  'running',
  'x'.repeat(63),
  'y'.repeat(64),
]
const longer = [
  'internationalisation',
  'a234567890123456',
  'a2345678901234567',
  'z'.repeat(65),
  'ж'.repeat(64),
  'ж'.repeat(65),
]
const text = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom(...characters), maxLength: 24 }) },
      { weight: 2, arbitrary: fc.constantFrom(...words, ...longer).map((word) => `${word} `) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

const textsOf = ({ table, termOf }: TermView): string[] => Array.from(termOf, (term) => table.textOf(term))

/** Compares words, places, counts and views with those read unit by unit. */
function check(source: string): void {
  const expected = readNaively(source)
  const document = readDocument({ url: '', title: '', text: source })
  const spelled = expected.map(({ word }) => word)
  assert.deepEqual(
    [...document.starts],
    expected.map(({ start }) => start),
  )
  assert.deepEqual(
    [...document.ends],
    expected.map(({ end }) => end),
  )
  const views: [TermView, (word: string) => string][] = [[document.plain, foldTerm]]
  for (const language of ['en', 'de', 'ru', 'zh']) views.push([document.view(language), findStemmer(language)!])
  for (const [view, map] of views) {
    const compared = spelled.map(map)
    assert.deepEqual(textsOf(view), compared)
    assert.equal(view.terms, new Set(compared).size)
    const counts = new Uint32Array(view.terms)
    for (const term of view.termOf) counts[term]!++
    assert.deepEqual(view.counts, counts)
  }
}

describe('word scanner', () => {
  test('finds the same words as a naive reader, in all scripts', () => {
    fc.assert(fc.property(text, check), { numRuns: 1_500, seed: 40 })
  })

  test('reads texts longer than its buffer, wherever the boundary falls', () => {
    for (const odd of ['word', 'wörter', 'n\u0301o', 'c++', '東京', 'สวัสดี', '𠀀b', 'x'.repeat(200)])
      for (let shift = 0; shift < 9; shift++) {
        const before = `ab${' '.repeat(TEXT_UNITS - odd.length - 8 + shift)}`
        check(`${before} ${odd} and ${odd}${odd} more`)
      }
  })

  test('reads more tokens than fit into one batch', () => {
    for (const few of [-1, 0, 1]) check('a b '.repeat(MAX_FOUND / 2) + 'ç '.repeat(MAX_FOUND + few))
  })

  test('distinguishes words that differ only in their last letters', () => {
    const ends = [
      '',
      'a',
      'b',
      'é',
      'ab',
      'abcdefgh',
      'abcdefgi',
      'abcdefghi',
      'abcdefghijklmnopq',
      'abcdefghijklmnopr',
    ]
    check(
      ends
        .flatMap((end) => [`x${end}`, `abcdefg${end}`, `abcdefghijklmno${end}`, `ж${end}`])
        .join(' ')
        .repeat(3),
    )
  })
})
