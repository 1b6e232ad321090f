import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { searchableText } from './searchable-text.ts'
import { cutSnippet } from './snippet.ts'

describe('searchable text', () => {
  test('leaves plain text unchanged', () => {
    const text = 'Plain words, naïve ones too; Москва.'
    assert.equal(searchableText(text).text, text)
  })

  test('strips accents, vowel points and compatibility forms', () => {
    assert.equal(searchableText('Ἀθῆναι ελλάδα ϊΐ').text, 'Αθηναι ελλαδα ιι')
    assert.equal(searchableText('שָׁלוֹם').text, 'שלום')
    assert.equal(searchableText('مُحَمَّد').text, 'محمد')
    assert.equal(searchableText('Ёж ﬁn ＡＢ１').text, 'Еж fin AB1')
  })

  test('separates words in scripts without spaces', () => {
    const words = searchableText('今日は東京へ').text.split('\u0001').filter(Boolean)
    assert.ok(words.includes('東京'))
    assert.equal(words.join(''), '今日は東京へ')
  })

  test('maps positions monotonically into the original text', () => {
    const unit = fc.constantFrom(
      'a',
      ' ',
      'ά',
      '東',
      '京',
      'ไ',
      'ท',
      '\u00ad',
      'ﬁ',
      '\0',
      '\u0002',
      '𠀀',
      'שָׁ',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const given = parts.join('')
        const { text, origin } = searchableText(given)
        let last = 0
        for (let at = 0; at <= text.length; at++) {
          const place = origin(at)
          assert.ok(place >= last && place <= given.length)
          last = place
        }
        for (const char of ['\0', '\u0002', '\u0003']) assert.equal(text.includes(char), false)
      }),
    )
  })
})

describe('snippets', () => {
  const filler = 'some words that nobody asked for '.repeat(20)

  test('show a short text in full', () => {
    assert.deepEqual(cutSnippet('A short text', [[2, 7]]), { text: 'A short text', marks: [[2, 7]] })
    assert.deepEqual(cutSnippet('', []), { text: '', marks: [] })
  })

  test('show the passage with the most distinct matches, with adjusted marks', () => {
    const text = `${filler}whale whale whale ${filler}white whale ${filler}`
    const marks = [...text.matchAll(/whale|white/g)].map(({ index, 0: word }) => [index, index + word.length] as const)
    const snippet = cutSnippet(text, marks)
    assert.match(snippet.text, /^… .*white whale.* …$/)
    assert.deepEqual(
      snippet.marks.map(([from, to]) => snippet.text.slice(from, to)),
      ['white', 'whale'],
    )
    assert.ok(snippet.text.length < 260)
  })

  test('show the beginning of the text if there are no marks', () => {
    const { text, marks } = cutSnippet(filler, [])
    assert.ok(text.startsWith('some words') && text.endsWith(' …'))
    assert.deepEqual(marks, [])
  })

  test('truncate a mark that is longer than the snippet', () => {
    const { text, marks } = cutSnippet('x'.repeat(10_000), [[100, 9_000]])
    assert.equal(marks.length, 1)
    assert.ok(marks[0]![1] <= text.length)
  })
})
