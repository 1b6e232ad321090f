import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { parseBlockList } from './block-list.ts'

describe('block list', () => {
  it('blocks hosts, domains and URL prefixes', () => {
    const filter = parseBlockList(`\uFEFF# what we do not want
      ads.example.org
      .bad.example   # the whole domain
      *.worse.example
      host.example:8080
      http://Example.org/private/
      Bücher.example\r\n127.0.0.1`)
    for (const url of [
      'http://ads.example.org/',
      'https://ads.example.org:444/x',
      'http://bad.example/',
      'http://a.b.bad.example/',
      'http://worse.example/',
      'http://host.example:8080/',
      'http://example.org/private/x',
      'http://xn--bcher-kva.example/',
      'http://127.0.0.1:99/',
    ]) {
      assert.equal(filter.accepts(url), false, url)
    }
    for (const url of [
      'http://sub.ads.example.org/',
      'http://notbad.example/',
      'http://host.example/',
      'https://example.org/private/x',
      'http://example.org/public/',
      'http://example.org/?http://example.org/private/',
    ]) {
      assert.equal(filter.accepts(url), true, url)
    }
  })

  it('blocks URLs in any spelling', () => {
    const filter = parseBlockList('http://example.org/~smith/\nhttp://example.org/b%C3%BCro\nhttp://[2001:db8::1]/x')
    for (const url of [
      'http://example.org/%7Esmith/page',
      'http://example.org/%7esmit%68/page',
      'http://example.org/b%c3%bcro/',
      'http://[2001:db8::1]/%78',
    ]) {
      assert.equal(filter.accepts(url), false, url)
    }
    assert.equal(filter.accepts('http://example.org/~smith%2Fpage'), true)
  })

  it('accepts every URL if it is empty', () => {
    assert.equal(parseBlockList('\n# nothing\n').accepts('http://example.org/'), true)
  })

  it('reports all invalid lines together', () => {
    assert.throws(
      () => parseBlockList('example.org\nftp://example.org/\nexample.org/path\n\na b\n.example.org:80:1'),
      (error) => {
        assert.ok(isAppError(error, 'file-invalid'))
        for (const line of [2, 3, 5, 6]) assert.match(error.message, new RegExp(`line ${line}: `))
        assert.doesNotMatch(error.message, /line 1:/)
        return true
      },
    )
  })

  it('matches against 33,000 entries of each kind', () => {
    const lines: string[] = []
    for (let n = 0; n < 33_000; n++) {
      lines.push(`h${n}.example`, `.d${n}.example`, `http://one.example/${n}/`)
    }
    const filter = parseBlockList(lines.join('\n'))
    for (let n = 0; n < 33_000; n++) {
      assert.equal(filter.accepts(`http://h${n}.example/`), false)
      assert.equal(filter.accepts(`http://x.d${n}.example/`), false)
      assert.equal(filter.accepts(`http://one.example/${n}/x`), false)
      assert.equal(filter.accepts(`http://one.example/x${n}/`), true)
    }
  })
})
