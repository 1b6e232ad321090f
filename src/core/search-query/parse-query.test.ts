import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseSearchQuery } from './parse-query.ts'
import type { QueryNode } from './query.ts'

/** Compact notation for trees: `(a b | -c)`, phrases in quotes, `t:` for titles. */
function spell(node: QueryNode): string {
  switch (node.kind) {
    case 'words': {
      const words = node.words.length > 1 ? `"${node.words.join(' ')}"` : node.words[0]!
      return `${node.where === 'title' ? 't:' : ''}${words}${node.prefix ? '*' : ''}`
    }
    case 'site':
      return `s:${node.host}`
    case 'not':
      return `-${spell(node.node)}`
    default:
      return `(${node.nodes.map(spell).join(node.kind === 'and' ? ' ' : ' | ')})`
  }
}

function treeOf(text: string): string {
  const parsed = parseSearchQuery(text)
  if (parsed.kind === 'invalid') return `error: ${parsed.errors.join('; ')}`
  return parsed.query.match === null ? '' : spell(parsed.query.match)
}

describe('search query language', () => {
  const trees: Record<string, string> = {
    'solar panel': '(solar panel)',
    'solar AND panel': '(solar panel)',
    'solar and panel': '(solar and panel)',
    '"solar panel"': '"solar panel"',
    'photo*': 'photo*',
    '"solar pan"*': '"solar pan"*',
    'a b OR c d': '((a b) | (c d))',
    'a (b OR c) d': '(a (b | c) d)',
    'a -b': '(a -b)',
    'a NOT b': '(a -b)',
    'a NOT NOT b': '(a b)',
    '--a': 'a',
    '-"a b"': '-"a b"',
    '-(a OR b)': '-(a | b)',
    'a -(b -c)': '(a -(b -c))',
    'foo-bar': '"foo bar"',
    "don't": '"don t"',
    '3.14': '"3 14"',
    'c++': 'c',
    'http://example.org/x': '"http example org x"',
    '12:30': '"12 30"',
    'site:Example.ORG': 's:example.org',
    'site:https://www.example.org:8080/path?x': 's:www.example.org',
    'site:.example.org': 's:example.org',
    'site:münchen.de': 's:xn--mnchen-3ya.de',
    'site:[2001:db8::1]': 's:2001:db8::1',
    'site:192.0.2.1': 's:192.0.2.1',
    'INTITLE:word': 't:word',
    'intitle:"two words"': 't:"two words"',
    '-intitle:word': '-t:word',
    'intitle:wo*': 't:wo*',
    東京タワー: '東京タワー*',
    Ελλάδα: 'Ελλαδα',
  }
  for (const [text, tree] of Object.entries(trees))
    test(`parses ${text} as ${tree}`, () => assert.equal(treeOf(text), tree))

  const lenient: Record<string, string> = {
    '"never closed': '"never closed"',
    '((a b': '(a b)',
    'a)) b': '(a b)',
    'a OR': 'a',
    'OR a': 'a',
    'a OR OR b': '(a | b)',
    'a AND': 'a',
    'a NOT': 'a',
    '() a': 'a',
    '"" a': 'a',
    'a - b': '(a b)',
    'a ++ b': '(a b)',
    '\0a\0b': '(a b)',
  }
  for (const [text, tree] of Object.entries(lenient)) {
    test(`tolerates ${JSON.stringify(text)} as ${tree}`, () => assert.equal(treeOf(text), tree))
  }

  const errors: Record<string, RegExp> = {
    '': /no word/,
    'OR AND NOT': /no word/,
    '()': /no word/,
    '"': /no word/,
    '-': /no word/,
    '!?': /no word/,
    'a*': /a\*: at least 2 letters/,
    'x site:': /site: needs a host/,
    'site:a..b': /site: needs a host/,
    'site:"x y"': /site: needs a host/,
    'x intitle:': /intitle: needs a word/,
    'before:yesterday': /before: needs a date/,
    'after:2026-02-30': /after: needs a date/,
    'after:2026-13-01': /after: needs a date/,
    '-before:2026': /whole query/,
    '(x after:2026)': /whole query/,
    'a OR before:2026': /whole query/,
  }
  for (const [text, expected] of Object.entries(errors)) {
    test(`rejects ${JSON.stringify(text)}`, () => {
      assert.match(treeOf(text), expected)
    })
  }

  test('reports all errors at once', () => {
    const parsed = parseSearchQuery('site: intitle: before:x a*')
    assert.equal(parsed.kind === 'invalid' && parsed.errors.length, 4)
  })

  test('moves dates out of the tree and keeps the narrowest range', () => {
    const parsed = parseSearchQuery('x after:2026 before:2026-11-01 after:2026-03-04T05:06 before:2027-01-01')
    assert.deepEqual(parsed, {
      kind: 'query',
      query: {
        match: { kind: 'words', words: ['x'], prefix: false, where: 'anywhere' },
        afterMs: Date.UTC(2026, 2, 4, 5, 6),
        beforeMs: Date.UTC(2026, 10, 1),
      },
    })
    assert.deepEqual(parseSearchQuery('after:2026-01-01T00:00+02:00'), {
      kind: 'query',
      query: { match: null, afterMs: Date.UTC(2025, 11, 31, 22), beforeMs: null },
    })
  })

  const hostile: Record<string, string> = {
    'ten thousand words': 'word '.repeat(10_000),
    'a megabyte': 'x'.repeat(1_000_000),
    'too many words': 'ab '.repeat(100),
    'too many stars': 'ab* '.repeat(9),
    'a long phrase': `"${'ab '.repeat(100)}"`,
    'deep parentheses': '('.repeat(4_000),
    'deep negated parentheses': `${'-('.repeat(1_500)}a`,
  }
  for (const [what, text] of Object.entries(hostile))
    test(`rejects ${what} with the reason`, () => assert.match(treeOf(text), /^error: .*(more than|at most)/))

  test('parses any text without throwing, into words of only letters, digits and marks', () => {
    const piece = fc.constantFrom(' ', 'OR ', 'NOT ', '\0', ...'( ) " - * : site: intitle: before: ab 東'.split(' '))
    const words = /^[\p{L}\p{N}\p{M}\p{Co}]+$/u
    const check = (node: QueryNode): void => {
      if (node.kind === 'words') for (const word of node.words) assert.match(word, words)
      else if (node.kind === 'not') check(node.node)
      else if (node.kind !== 'site') node.nodes.forEach(check)
    }
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          const parsed = parseSearchQuery(text)
          if (parsed.kind === 'query' && parsed.query.match !== null) check(parsed.query.match)
        },
      ),
    )
  })
})
