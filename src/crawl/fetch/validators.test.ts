import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freshUntil, validatorsOf } from './validators.ts'

const at = Date.UTC(2026, 10, 1, 12, 0, 0, 500)
const date = (ms: number) => new Date(ms).toUTCString()

describe('validators', () => {
  test('use an ETag and an older Last-Modified exactly as sent', () => {
    const lastModified = date(at - 60_000)
    assert.deepEqual(validatorsOf(['ETag', 'W/"a"', 'Last-Modified', lastModified, 'Date', date(at)], at), {
      etag: 'W/"a"',
      lastModified,
    })
  })

  test('ignore a Last-Modified in the same second as the response, with or without Date', () => {
    assert.equal(validatorsOf(['Last-Modified', date(at), 'Date', date(at)], at).lastModified, '')
    assert.equal(validatorsOf(['Last-Modified', date(at)], at).lastModified, '')
  })

  test('compare Last-Modified with the clock of the server', () => {
    const ahead = at + 86_400_000
    const modified = date(ahead - 10_000)
    assert.equal(validatorsOf(['Last-Modified', modified, 'Date', date(ahead)], at).lastModified, modified)
    assert.equal(validatorsOf(['Last-Modified', modified], at).lastModified, '')
  })

  test('ignore dates that are not in HTTP format', () => {
    for (const value of ['2026-10-01 12:00', 'Do, 01 Okt 2026 12:00:00 GMT', '01/10/2026', '0'])
      assert.equal(validatorsOf(['Last-Modified', value], at).lastModified, '')
  })

  test('ignore an overlong ETag', () => {
    assert.equal(validatorsOf(['ETag', `"${'x'.repeat(5000)}"`], at).etag, '')
  })
})

describe('freshness', () => {
  test('prefers max-age to Expires, which is relative to the clock of the server', () => {
    const headers = ['Cache-Control', 'public, max-age=60', 'Expires', date(at + 900_000), 'Date', date(at)]
    assert.equal(freshUntil(headers, at), at + 60_000)
    const ahead = at + 86_400_000
    assert.equal(freshUntil(['Expires', date(ahead + 60_000), 'Date', date(ahead)], at), at + 60_000)
  })

  test('is limited to a year', () => {
    assert.equal(freshUntil(['Cache-Control', 'max-age=9999999999'], at), at + 365 * 86_400_000)
  })

  test('is zero if the headers forbid caching, have expired or are invalid', () => {
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
