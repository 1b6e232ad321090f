import assert from 'node:assert/strict'
import test from 'node:test'
import { pageDirectives } from './page-directives.ts'

function flags(metas: Record<string, string>, ...xRobotsTag: string[]): string {
  const list = Object.entries(metas).map(([name, content]) => ({ name, content }))
  const directives = pageDirectives({ metas: list, xRobotsTag, agent: 'eRACE/1.0' })
  return Object.entries(directives)
    .flatMap(([name, set]) => (set ? [name] : []))
    .join(' ')
}

test('a page without directives is indexed, followed and archived', () => {
  assert.equal(flags({}), '')
  assert.equal(flags({ robots: 'all, index, follow', description: 'noindex' }, 'all'), '')
})

test('combines meta robots with directives for our own name', () => {
  assert.equal(flags({ Robots: 'NOINDEX' }), 'noindex')
  assert.equal(flags({ robots: 'nofollow', erace: 'noarchive' }), 'nofollow noarchive')
  assert.equal(flags({ robots: 'noindex', ERACE: 'index' }), 'noindex')
  assert.equal(flags({ googlebot: 'noindex' }), '')
  assert.equal(flags({ robots: 'none' }), 'noindex nofollow')
})

test('reads several X-Robots-Tag headers and agent scopes', () => {
  assert.equal(flags({}, 'noindex', 'nofollow'), 'noindex nofollow')
  assert.equal(flags({}, 'googlebot: noindex, nofollow'), '')
  assert.equal(flags({}, 'googlebot: noindex', 'noarchive'), 'noarchive')
  assert.equal(flags({}, 'erace: noindex, nofollow, googlebot: noarchive'), 'noindex nofollow')
  assert.equal(flags({}, 'googlebot: noindex, eRACE: none'), 'noindex nofollow')
})

test('directives of a header may be separated by semicolons or spaces', () => {
  assert.equal(flags({}, 'noindex; nofollow'), 'noindex nofollow')
  assert.equal(flags({}, 'noindex nofollow'), 'noindex nofollow')
  assert.equal(flags({}, 'googlebot: noindex; nofollow'), '')
  assert.equal(flags({}, 'erace: noindex nofollow; googlebot: noarchive'), 'noindex nofollow')
  assert.equal(flags({}, 'noindex; max-image-preview: none'), 'noindex')
  assert.equal(flags({}, 'noindex max-image-preview: none'), 'noindex')
})

test('a directive with a value is not an agent scope', () => {
  assert.equal(flags({}, 'unavailable_after: Sat, 25 Jun 2010 15:00:00 PST, noindex'), 'noindex')
  assert.equal(flags({}, 'unavailable_after: 25-Jun-10 15:00:00 PST, nofollow'), 'nofollow')
  assert.equal(flags({}, 'max-snippet:0, noarchive', 'max-image-preview: none'), 'noarchive')
  assert.equal(flags({}, 'otherbot: unavailable_after: 2010-06-25, noindex'), '')
})

test('reads only the beginning of a huge value', () => {
  assert.equal(flags({ robots: `${' ,'.repeat(1e6)}noindex` }, `${','.repeat(1e6)}noindex`), '')
})
