import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTrapFilter } from './trap.ts'

const filter = createTrapFilter()

function verdict(path: string): string {
  const result = filter.check(`http://example.org${path}`)
  return result.kind === 'ok' ? 'ok' : result.reason
}

describe('trap filter', () => {
  it('lets ordinary URLs through', () => {
    for (const path of [
      '/',
      '/a',
      '/2026/01/01/01/title.html',
      '/a/b/a/b/',
      '/en/docs/en/guide/en/x',
      '/?a=1&b=1&c=1&d=1',
      '/?tag[]=a&tag[]=b&tag[]=c&tag[]=d&tag[]=e',
      `/${Array.from({ length: 39 }, (_, n) => n).join('/')}`,
    ]) {
      assert.equal(verdict(path), 'ok', path)
    }
  })

  it('rejects long URLs', () => {
    assert.equal(verdict(`/${'x'.repeat(2048)}`), 'length')
    assert.deepEqual(createTrapFilter({ maxUrlLength: 25 }).check('http://example.org/1234567'), {
      kind: 'skip',
      reason: 'length',
    })
  })

  it('rejects repetitive and very deep paths', () => {
    for (const path of [
      '/a/a/a/a/',
      '/a/x/a/y/a/z/a/',
      '/a/b/a/b/a/b/',
      '/x/a/b/c/a/b/c/a/b/c',
      '////////',
      `/${Array.from({ length: 41 }, (_, n) => n).join('/')}`,
    ]) {
      assert.equal(verdict(path), 'trap', path)
    }
  })

  it('rejects queries with repeated or too many parameters', () => {
    assert.equal(verdict('/?a=1&a=1&a=1&a=1'), 'trap')
    assert.equal(verdict(`/?${Array.from({ length: 41 }, (_, n) => `p${n}=1`).join('&')}`), 'trap')
  })

  it('ignores slashes in the query', () => {
    assert.equal(verdict('/?u=a/a/a/a/a/a/a/a'), 'ok')
  })
})
