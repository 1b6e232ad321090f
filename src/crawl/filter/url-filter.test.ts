import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { knownPathsFilter, regexFilter } from './url-filter.ts'

describe('URL filters', () => {
  it('match a regular expression in bounded time', () => {
    assert.equal(regexFilter('/docs/').accepts('http://a.example/docs/x'), true)
    assert.equal(regexFilter('(a+)+$').accepts(`http://x.example/${'a'.repeat(2000)}!`), false)
    assert.throws(
      () => regexFilter('['),
      (error) => isAppError(error, 'usage-wrong'),
    )
  })

  it('reject paths that are known not to be documents', () => {
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
})
