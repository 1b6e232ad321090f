import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMetaRefresh, parseSrcset } from './url-attributes.ts'

test('parseSrcset splits candidates at commas after their descriptors', () => {
  assert.deepEqual(parseSrcset('a.jpg 1x, b.jpg 2x'), ['a.jpg', 'b.jpg'])
  assert.deepEqual(parseSrcset(' ,a.jpg, b.jpg 480w 320h,c.jpg '), ['a.jpg', 'b.jpg', 'c.jpg'])
})

test('parseSrcset does not split at commas inside URLs or parentheses', () => {
  assert.deepEqual(parseSrcset('/w,100/a.jpg 1x, data:image/png;base64,AA== 2x'), [
    '/w,100/a.jpg',
    'data:image/png;base64,AA==',
  ])
  assert.deepEqual(parseSrcset('a.jpg (x, y) , b.jpg'), ['a.jpg', 'b.jpg'])
})

test('parseSrcset accepts empty values and long runs of commas', () => {
  assert.deepEqual(parseSrcset(''), [])
  assert.deepEqual(parseSrcset(',, ,'), [])
  assert.deepEqual(parseSrcset(`x${','.repeat(90_000)}y`).length, 1)
})

test('parseMetaRefresh reads time and URL as in the HTML standard', () => {
  assert.deepEqual(parseMetaRefresh('5;url=a'), { seconds: 5, url: 'a' })
  assert.deepEqual(parseMetaRefresh(' 5 , URL = "a b" c'), { seconds: 5, url: 'a b' })
  assert.deepEqual(parseMetaRefresh("0;'a"), { seconds: 0, url: 'a' })
  assert.deepEqual(parseMetaRefresh('1 a'), { seconds: 1, url: 'a' })
  assert.deepEqual(parseMetaRefresh('1;urn:x'), { seconds: 1, url: 'urn:x' })
  assert.deepEqual(parseMetaRefresh('1;url'), { seconds: 1, url: 'url' })
  assert.deepEqual(parseMetaRefresh('.5;url=a'), { seconds: 0.5, url: 'a' })
})

test('parseMetaRefresh returns only the time if there is no URL', () => {
  assert.deepEqual(parseMetaRefresh('30'), { seconds: 30 })
  assert.deepEqual(parseMetaRefresh('30;'), { seconds: 30 })
  assert.deepEqual(parseMetaRefresh('30; url='), { seconds: 30 })
})

test('parseMetaRefresh rejects content that does not begin with a time', () => {
  for (const content of ['', 'x', '-1;url=a', '5x;url=a', ';url=a', '\u0665;url=a']) {
    assert.equal(parseMetaRefresh(content), undefined, content)
  }
})

test('parseMetaRefresh handles a run of 90,000 digits', () => {
  assert.deepEqual(parseMetaRefresh(`${'9'.repeat(90_000)}x`), undefined)
  assert.deepEqual(parseMetaRefresh('9'.repeat(90_000)), { seconds: Number.MAX_SAFE_INTEGER })
})
