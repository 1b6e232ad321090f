import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partDefaults, type Scope, type Source } from '../../core/profile.ts'
import { createSourceCover } from '../preview/source-cover.ts'
import { createCoverage } from './coverage.ts'

const sourceOf = (uri: string, scope: Scope, depth: number): Source => ({
  uri,
  scope,
  depth,
  everyMs: 1,
  everyMaxMs: 1,
  process: 'filter',
  window: null,
  ...partDefaults,
})

const urls = [
  'http://example.org/',
  'https://example.org/',
  'http://example.org/news/',
  'http://example.org/news/today?a=/x/y',
  'http://example.org/news/old/1',
  'http://example.org/newspaper',
  'http://example.org:8080/news/today',
  'http://www.example.org/news/',
  'http://example.org./news/',
  'http://a.github.io/',
  'http://b.github.io/',
  'http://127.0.0.1/',
  'http://127.0.0.1:81/a',
  'http://127.0.0.2/',
  'http://[::1]:8080/x',
]

test('coverage agrees with the source cover for every scope and depth', () => {
  for (const kind of ['page', 'path', 'host', 'domain'] as const)
    for (const depth of [0, 1, 3])
      for (const uri of urls)
        for (const landed of ['', 'http://elsewhere.example/x/'])
          for (const url of [...urls, 'http://elsewhere.example/x/y', 'http://elsewhere.example/z']) {
            const source = sourceOf(uri, { kind }, depth)
            const covered = createSourceCover([source], new Map(landed === '' ? [] : [[uri, landed]])).covering(url)
            const has = createCoverage([{ source, landed }]).has(url)
            assert.equal(has, covered.length > 0, `${kind} ${depth} ${uri} ${landed} ${url}`)
          }
})

test('a pattern covers only matching pages within the domain of its source', () => {
  const source = sourceOf('http://www.example.org/', { kind: 'pattern', source: '/n[a-z]+s' }, 2)
  const coverage = createCoverage([{ source, landed: '' }])
  assert.equal(coverage.has('http://example.org/news'), true)
  assert.equal(coverage.has('http://example.org/other'), false)
  assert.equal(coverage.has('http://www.example.org/'), true)
  assert.equal(coverage.has('http://private.example/news'), false)
  const alone = createCoverage([{ source: { ...source, depth: 0 }, landed: '' }])
  assert.equal(alone.has('http://example.org/news'), false)
})

test('items of a list are covered by the source of the list, but not under other credentials', () => {
  const [own, others] = [`~${'a'.repeat(24)}`, `~${'b'.repeat(24)}`]
  const source = sourceOf(`imap://${own}@mail.example.org/INBOX`, { kind: 'page' }, 0)
  const coverage = createCoverage([{ source, landed: '' }])
  assert.equal(coverage.has(`imap://${own}@mail.example.org/INBOX`), true)
  assert.equal(coverage.has(`imap://${own}@mail.example.org/INBOX/;MID=1`), true)
  assert.equal(coverage.has(`imap://${own}@mail.example.org/INBOX2/;MID=1`), false)
  assert.equal(coverage.has(`imap://${others}@mail.example.org/INBOX/;MID=1`), false)
  const query = sourceOf('sqlite:///srv/a.db?query=SELECT&key=id', { kind: 'page' }, 0)
  const rows = createCoverage([{ source: query, landed: '' }])
  assert.equal(rows.has('sqlite:///srv/a.db?query=SELECT&key=id#row=1'), true)
  assert.equal(rows.has('sqlite:///srv/a.db?query=OTHER&key=id#row=1'), false)
})

test('pages are found among 50,000 sources', () => {
  const sources = Array.from({ length: 50_000 }, (_, n) => ({
    source: sourceOf(`http://example.org/${n}/x`, { kind: 'path' }, 1),
    landed: '',
  }))
  const coverage = createCoverage(sources)
  for (let n = 0; n < 50_000; n++) assert.ok(coverage.has(`http://example.org/${n}/y`))
  assert.equal(coverage.has('http://example.org/y'), false)
})
