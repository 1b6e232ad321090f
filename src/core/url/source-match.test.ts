import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSourceMatch } from './source-match.ts'

const urls = `http://example.org/ https://example.org/news/today http://example.org:8080/ http://www.example.org/
  http://myexample.org/ http://127.0.0.1:9000/a`.split(/\s+/)

const cases: [match: string, matched: number[]][] = [
  ['*', [0, 1, 2, 3, 4, 5]],
  ['example.org', [0, 1, 2]],
  ['EXAMPLE.org', [0, 1, 2]],
  ['example.org:8080', [2]],
  ['.example.org', [0, 1, 2, 3]],
  ['https://example.org/news/', [1]],
  ['http://EXAMPLE.org', [0]],
  ['127.0.0.1', [5]],
  ['127.0.0.1:9000', [5]],
]

for (const [match, matched] of cases) {
  test(`${match} matches exactly the expected URLs`, () => {
    const matches = createSourceMatch(match)!
    const found = urls.flatMap((url, at) => (matches(url) ? [at] : []))
    assert.deepEqual(found, matched)
  })
}

test('compares internationalised hosts in Punycode', () => {
  assert.equal(createSourceMatch('bücher.example')!('http://xn--bcher-kva.example/'), true)
})

test('returns null for text that is not a host, domain or URL', () => {
  for (const text of [
    '',
    'a b',
    ...'. example.org/news ftp://example.org/ http:// .example.org:80: a@b **'.split(' '),
  ]) {
    assert.equal(createSourceMatch(text), null, text)
  }
})
