import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { createScope, type ScopeOptions } from './scope.ts'

const seeds = ['http://www.example.org/docs/guide.html?x=/a/b', 'http://127.0.0.1:8080/']

function assertScope(options: Omit<ScopeOptions, 'seeds'>, inside: string[], outside: string[]): void {
  const scope = createScope({ seeds, ...options })
  for (const url of inside) assert.equal(scope.accepts(url), true, url)
  for (const url of outside) assert.equal(scope.accepts(url), false, url)
}

describe('crawl scope', () => {
  it('covers the hosts of the seeds by default', () => {
    assertScope(
      {},
      ['http://www.example.org/', 'https://www.example.org/x', 'http://127.0.0.1:8080/x'],
      ['http://example.org/', 'http://www.example.org:81/', 'http://127.0.0.1/', 'http://other.example/'],
    )
  })

  it('can cover the pages, folders or domains of the seeds', () => {
    assertScope(
      { kind: 'page' },
      ['http://www.example.org/docs/guide.html?x=/a/b', 'https://www.example.org/docs/guide.html?x=/a/b'],
      ['http://www.example.org/docs/guide.html', 'http://127.0.0.1:8080/x'],
    )
    assertScope(
      { kind: 'path' },
      ['http://www.example.org/docs/', 'http://www.example.org/docs/a/b', 'http://127.0.0.1:8080/x'],
      ['http://www.example.org/docs', 'http://www.example.org/', 'http://www.example.org/other/docs/'],
    )
    assertScope(
      { kind: 'domain' },
      ['http://example.org/', 'https://a.b.example.org:81/', 'http://127.0.0.1:9/'],
      ['http://example.com/', 'http://127.0.0.2/', 'http://other.org/'],
    )
    const pages = createScope({ seeds: ['http://a.github.io/'], kind: 'domain' })
    assert.equal(pages.accepts('http://b.github.io/'), false)
  })

  it('is decided by the regular expression alone if one is given', () => {
    assertScope(
      { restrict: 'other\\.example/.*x', kind: 'page' },
      ['http://other.example/ax'],
      [seeds[0]!, 'http://other.example/'],
    )
  })

  it('reports all invalid seeds together, and an invalid expression', () => {
    assert.throws(
      () => createScope({ seeds: ['http://a.example/', 'mailto:x@y.example', 'nonsense'] }),
      (error) => isAppError(error, 'url-invalid') && /mailto.*nonsense/s.test(error.message),
    )
    assert.throws(
      () => createScope({ seeds, restrict: '(' }),
      (error) => isAppError(error, 'usage-wrong'),
    )
  })
})
