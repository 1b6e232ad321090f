import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asListLine, splitAddresses } from './addresses.ts'

describe('pasted addresses', () => {
  const cases: Record<string, string[]> = {
    'https://example.org/': ['https://example.org/'],
    'example.org/news': ['https://example.org/news'],
    'localhost:8080/x': ['https://localhost:8080/x'],
    'example.org:443': ['https://example.org:443'],
    'nntp://news.example.org/group': ['nntp://news.example.org/group'],
    'mailto:a@example.org': ['mailto:a@example.org'],
    '<https://example.org/>': ['https://example.org/'],
    ' a.org\n\nb.org\tc.org ': ['https://a.org', 'https://b.org', 'https://c.org'],
    'a.org https://a.org a.org': ['https://a.org'],
    'not a url': ['not', 'a', 'url'],
    'localhost intranet/news intranet:8080 [::1]/': [
      'https://localhost',
      'https://intranet/news',
      'https://intranet:8080',
      'https://[::1]/',
    ],
    '': [],
  }
  for (const [text, addresses] of Object.entries(cases)) {
    test(`${JSON.stringify(text)} gives ${addresses.join(', ') || 'none'}`, () => {
      assert.deepEqual(splitAddresses(text), addresses)
    })
  }

  test('an address is escaped to stay whole in a list', () => {
    assert.equal(asListLine("https://example.org/it's?a={b|c}"), 'https://example.org/it%27s?a=%7Bb%7Cc%7D')
  })
})
