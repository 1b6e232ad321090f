import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMetaRefresh } from './meta-refresh.ts'

test('time and URL are read as the HTML standard does', () => {
  assert.deepEqual(parseMetaRefresh('5;url=a'), { seconds: 5, url: 'a' })
  assert.deepEqual(parseMetaRefresh(' 5 , URL = "a b" c'), { seconds: 5, url: 'a b' })
  assert.deepEqual(parseMetaRefresh("0;'a"), { seconds: 0, url: 'a' })
  assert.deepEqual(parseMetaRefresh('1 a'), { seconds: 1, url: 'a' })
  assert.deepEqual(parseMetaRefresh('1;urn:x'), { seconds: 1, url: 'urn:x' })
  assert.deepEqual(parseMetaRefresh('1;url'), { seconds: 1, url: 'url' })
  assert.deepEqual(parseMetaRefresh('.5;url=a'), { seconds: 0.5, url: 'a' })
})

test('a refresh without a URL asks for the page itself', () => {
  assert.deepEqual(parseMetaRefresh('30'), { seconds: 30 })
  assert.deepEqual(parseMetaRefresh('30;'), { seconds: 30 })
  assert.deepEqual(parseMetaRefresh('30; url='), { seconds: 30 })
})

test('what does not begin with a time is no refresh', () => {
  for (const content of ['', 'x', '-1;url=a', '5x;url=a', ';url=a', '\u0665;url=a']) {
    assert.equal(parseMetaRefresh(content), undefined, content)
  }
})

test('a long run of digits is read once', () => {
  assert.deepEqual(parseMetaRefresh(`${'9'.repeat(90_000)}x`), undefined)
  assert.deepEqual(parseMetaRefresh('9'.repeat(90_000)), { seconds: Number.MAX_SAFE_INTEGER })
})
