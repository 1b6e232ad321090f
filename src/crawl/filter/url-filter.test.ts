import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import {
  and,
  domainFilter,
  knownPathsFilter,
  lengthFilter,
  not,
  or,
  prefixFilter,
  protocolFilter,
  regexFilter,
} from './url-filter.ts'

describe('URL filters', () => {
  it('accept by domain, with all hosts below it', () => {
    const filter = domainFilter(['example.org', '.Other.example'])
    for (const url of [
      'http://example.org/',
      'https://a.b.example.org:81/x',
      'http://other.example/',
      'http://example.org./',
    ]) {
      assert.equal(filter.accepts(url), true, url)
    }
    for (const url of [
      'http://myexample.org/',
      'http://example.org.evil.example/',
      'http://org/',
      'http://x/?example.org',
    ]) {
      assert.equal(filter.accepts(url), false, url)
    }
    assert.equal(domainFilter(['127.0.0.1']).accepts('http://127.0.0.1:8080/'), true)
    assert.equal(domainFilter(['[::1]']).accepts('http://[::1]:81/'), true)
  })

  it('accept by prefix, protocol and length', () => {
    assert.equal(prefixFilter(['http://a.example/x', 'http://b.example/']).accepts('http://b.example/y'), true)
    assert.equal(prefixFilter(['http://a.example/x']).accepts('http://a.example/'), false)
    assert.equal(protocolFilter(['https']).accepts('https://a.example/'), true)
    assert.equal(protocolFilter(['HTTPS:']).accepts('http://a.example/'), false)
    assert.equal(lengthFilter(10).accepts('0123456789'), true)
    assert.equal(lengthFilter(10).accepts('0123456789a'), false)
  })

  it('accept by expression in bounded time', () => {
    assert.equal(regexFilter('/docs/').accepts('http://a.example/docs/x'), true)
    assert.equal(regexFilter('(a+)+$').accepts(`http://x.example/${'a'.repeat(2000)}!`), false)
    assert.throws(
      () => regexFilter('['),
      (error) => isAppError(error, 'usage-wrong'),
    )
  })

  it('decline places that are known to be no documents', () => {
    const filter = knownPathsFilter()
    for (const url of [
      'http://a.example/pub/?C=N;O=D',
      'http://a.example/pub/?C=M&O=A',
      'http://a.example/pub/?C=S',
      'http://a.example/pub/?N=D',
      'http://a.example/post?replytocom=12',
      'http://a.example/wp-login.php?redirect_to=x',
      'http://a.example/cdn-cgi/l/email-protection',
    ]) {
      assert.equal(filter.accepts(url), false, url)
    }
    for (const url of [
      'http://a.example/pub/',
      'http://a.example/?C=Z',
      'http://a.example/?q=C=N;O=D',
      'http://a.example/?N=DA',
    ]) {
      assert.equal(filter.accepts(url), true, url)
    }
  })

  it('are put together with and, or and not', () => {
    const org = domainFilter(['org'])
    const secure = protocolFilter(['https'])
    const both = and(org, secure)
    const either = or(org, secure)
    assert.equal(both.accepts('http://a.org/'), false)
    assert.equal(both.accepts('https://a.org/'), true)
    assert.equal(either.accepts('http://a.org/'), true)
    assert.equal(either.accepts('http://a.com/'), false)
    assert.equal(not(either).accepts('http://a.com/'), true)
    assert.equal(and().accepts('http://a.com/'), true)
    assert.equal(or().accepts('http://a.com/'), false)
    assert.equal(not(both).name, 'not(and(domain, protocol))')
  })
})
