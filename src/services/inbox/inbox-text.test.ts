import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { columnsOf, shortened, wrapText } from '../../core/text/plain-text.ts'
import { type DigestItem, digestText } from './inbox-text.ts'

const item: DigestItem = {
  id: 7,
  title: 'A title',
  url: 'https://example.org/news',
  source: 'example.org',
  at: Date.UTC(2026, 0, 2, 3, 4),
  kind: 'changed',
  urgency: 2,
  profileName: 'Java',
  read: false,
  starred: true,
  summary: 'What is new.',
  alsoAt: [],
  link: 'http://127.0.0.1/api/v1/annotations/7?format=text',
}

describe('plain text digest', () => {
  test('shows the title, details, summary and links of each annotation', () => {
    assert.equal(
      digestText({ title: 'Inbox: unread', items: [item], next: null }),
      'Inbox: unread\n=============\n\n* A title\n' +
        '   example.org, changed, 2026-01-02 03:04 UTC, Java, urgency 2, unread,\n   starred\n' +
        '   What is new.\n   https://example.org/news\n   http://127.0.0.1/api/v1/annotations/7?format=text\n',
    )
  })

  test('has no control characters and no line over 72 columns for any title and summary', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(anyText, anyText, anyText, (title, summary, profileName) => {
        const text = digestText({ title: 'Inbox', items: [{ ...item, title, summary, profileName }], next: null })
        assert.doesNotMatch(text, /[^\n\P{Cc}]/u)
        assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069]/)
        for (const line of text.split('\n')) if (!/^ *http/.test(line)) assert.ok(columnsOf(line) <= 72, line)
      }),
    )
  })

  test('says so if the list is empty', () => {
    assert.match(digestText({ title: 'Inbox', items: [], next: null }), /Nothing here/)
  })
})

describe('wrapping', () => {
  test('breaks at spaces, and within a word only if it is longer than a line', () => {
    assert.deepEqual(wrapText('aa bb cc', { columns: 5 }), ['aa bb', 'cc'])
    assert.deepEqual(wrapText('aaaaaaaa b', { columns: 5 }), ['aaaaa', 'aaa b'])
    assert.deepEqual(wrapText('a bbbbbbb', { columns: 5, first: '* ', further: '  ' }), [
      '* a',
      '  bbb',
      '  bbb',
      '  b',
    ])
    assert.deepEqual(wrapText('', { columns: 5 }), [])
  })

  test('counts wide characters as two columns', () => {
    assert.deepEqual(wrapText('新聞新聞', { columns: 4 }), ['新聞', '新聞'])
  })

  test('shortens a text at a word, never within a character', () => {
    assert.equal(shortened('one two three four', 14), 'one two three…')
    assert.equal(shortened('😀😀😀😀', 3), '😀😀…')
    assert.equal(shortened('short', 10), 'short')
  })
})
