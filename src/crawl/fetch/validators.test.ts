import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freshUntil, validatorsOf } from './validators.ts'

const at = Date.UTC(2026, 10, 1, 12, 0, 0, 500)
const date = (ms: number) => new Date(ms).toUTCString()

describe('validators', () => {
  test('a tag and a date from before the answer are used as they were sent', () => {
    const lastModified = date(at - 60_000)
    assert.deepEqual(validatorsOf(['ETag', 'W/"a"', 'Last-Modified', lastModified, 'Date', date(at)], at), {
      etag: 'W/"a"',
      lastModified,
    })
  })

  test('a date within the second of the answer is not trusted, with or without a Date header', () => {
    assert.equal(validatorsOf(['Last-Modified', date(at), 'Date', date(at)], at).lastModified, '')
    assert.equal(validatorsOf(['Last-Modified', date(at)], at).lastModified, '')
  })

  test('a server whose clock is ahead is held against its own clock', () => {
    const ahead = at + 86_400_000
    const modified = date(ahead - 10_000)
    assert.equal(validatorsOf(['Last-Modified', modified, 'Date', date(ahead)], at).lastModified, modified)
    assert.equal(validatorsOf(['Last-Modified', modified], at).lastModified, '')
  })

  test('dates in local formats are not sent back', () => {
    for (const value of ['2026-10-01 12:00', 'Do, 01 Okt 2026 12:00:00 GMT', '01/10/2026', '0'])
      assert.equal(validatorsOf(['Last-Modified', value], at).lastModified, '')
  })

  test('an endless tag is left alone', () => {
    assert.equal(validatorsOf(['ETag', `"${'x'.repeat(5000)}"`], at).etag, '')
  })
})

describe('freshness', () => {
  test('max-age comes before Expires, which counts by the clock of the server', () => {
    const headers = ['Cache-Control', 'public, max-age=60', 'Expires', date(at + 900_000), 'Date', date(at)]
    assert.equal(freshUntil(headers, at), at + 60_000)
    const ahead = at + 86_400_000
    assert.equal(freshUntil(['Expires', date(ahead + 60_000), 'Date', date(ahead)], at), at + 60_000)
  })

  test('a year is the most', () => {
    assert.equal(freshUntil(['Cache-Control', 'max-age=9999999999'], at), at + 365 * 86_400_000)
  })

  test('what forbids keeping, has passed or makes no sense says nothing', () => {
    for (const headers of [
      [],
      ['Cache-Control', 'no-cache, max-age=60'],
      ['Cache-Control', 'max-age=0'],
      ['Expires', '0'],
      ['Expires', date(at - 60_000), 'Date', date(at)],
      ['Cache-Control', 'x-max-age=60'],
    ])
      assert.equal(freshUntil(headers, at), 0)
  })
})
