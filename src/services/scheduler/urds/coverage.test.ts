import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import type { Scope } from '../../../core/profile.ts'
import { coversPage } from './coverage.ts'

const uri = 'https://news.example.co.uk/world/index.html'

function covered(kind: 'page' | 'path' | 'host' | 'domain', urls: string[], source = uri): string[] {
  return urls.filter((url) => coversPage({ uri: source, scope: { kind }, depth: 3 }, { url, hops: 1 }))
}

const page = 'http://news.example.co.uk/world/index.html'
const below = 'https://news.example.co.uk/world/asia/a.html?x=1'
const beside = 'https://news.example.co.uk/worldwide/'
const port = 'https://news.example.co.uk:8443/world/index.html'
const sister = 'https://www.example.co.uk/world/'
const other = 'https://example.org.uk/world/'

test('each scope covers the pages within it and those of all narrower scopes', () => {
  const all = [page, below, beside, port, sister, other]
  assert.deepEqual(covered('page', all), [page])
  assert.deepEqual(covered('path', all), [page, below])
  assert.deepEqual(covered('host', all), [page, below, beside])
  assert.deepEqual(covered('domain', all), [page, below, beside, port, sister])
})

test('the folder of a source comes from its path, regardless of its query', () => {
  const source = 'https://example.org/a/list?from=/b/'
  assert.deepEqual(covered('path', ['https://example.org/a/x', 'https://example.org/b/x'], source), [
    'https://example.org/a/x',
  ])
  assert.deepEqual(covered('page', ['https://example.org/a/list?from=/b/', 'https://example.org/a/list'], source), [
    'https://example.org/a/list?from=/b/',
  ])
})

test('hosts under a private suffix such as github.io are separate domains', () => {
  assert.deepEqual(covered('domain', ['https://b.github.io/'], 'https://a.github.io/'), [])
})

test('a pattern scope depends on the pattern alone, and an invalid pattern is rejected', () => {
  const scope: Scope = { kind: 'pattern', source: '/20[0-9]{2}/' }
  const covers = (url: string): boolean => coversPage({ uri, scope, depth: 1 }, { url, hops: 1 })
  assert.equal(covers('https://elsewhere.example/2026/x'), true)
  assert.equal(covers(below), false)
  assert.throws(
    () => coversPage({ uri, scope: { kind: 'pattern', source: '(' }, depth: 1 }, { url: uri, hops: 1 }),
    (error) => isAppError(error, 'usage-wrong'),
  )
})

test('every scope covers the source itself, and links up to the depth', () => {
  const scope: Scope = { kind: 'host' }
  assert.equal(coversPage({ uri, scope: { kind: 'page' }, depth: 0 }, { url: other, hops: 0 }), true)
  assert.equal(coversPage({ uri, scope, depth: 2 }, { url: below, hops: 2 }), true)
  assert.equal(coversPage({ uri, scope, depth: 2 }, { url: below, hops: 3 }), false)
})

test('host and path scopes work for other URL schemes', () => {
  const news = 'news://news.example.org/comp.lang.java'
  assert.deepEqual(covered('host', ['news://news.example.org/comp.lang.c', 'news://x.example.org/a'], news), [
    'news://news.example.org/comp.lang.c',
  ])
  assert.deepEqual(covered('path', ['file:///srv/docs/a/b', 'file:///srv/other'], 'file:///srv/docs/'), [
    'file:///srv/docs/a/b',
  ])
})

test('pages read with credentials or by a browser are covered only by sources with the same access', () => {
  const [own, others, browser] = [`~${'a'.repeat(24)}`, `~${'b'.repeat(24)}`, '~b']
  const at = (user: string, path = '/world/x') => `https://${user}@news.example.co.uk${path}`
  const all = [at(own), at(others), at(browser), below]
  assert.deepEqual(covered('host', all, at(own, '/world/')), [at(own), below])
  assert.deepEqual(covered('host', all, at(browser, '/world/')), [at(browser), below])
  assert.deepEqual(covered('host', all), [below])
  const scope: Scope = { kind: 'pattern', source: '^https://news\\.' }
  const matching = (uri: string) => all.filter((url) => coversPage({ uri, scope, depth: 1 }, { url, hops: 1 }))
  assert.deepEqual(matching(at(own)), [at(own), below])
  assert.deepEqual(matching(uri), [below])
})
