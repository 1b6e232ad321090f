import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpDate } from './http-date.ts'

const moment = Date.UTC(1994, 10, 6, 8, 49, 37)

test('parses all three HTTP date formats', () => {
  assert.equal(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT'), moment)
  assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT'), moment)
  assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994'), moment)
})

test('accepts only days that exist in the month', () => {
  assert.equal(parseHttpDate('Thu, 29 Feb 2024 23:59:59 GMT'), Date.UTC(2024, 1, 29, 23, 59, 59))
  assert.equal(parseHttpDate('Wed, 31 Dec 2025 00:00:00 GMT'), Date.UTC(2025, 11, 31))
  for (const day of ['00 Jan 2025', '29 Feb 2025', '31 Apr 2025', '32 Dec 2025'])
    assert.equal(parseHttpDate(`Mon, ${day} 10:00:00 GMT`), null, day)
})

test('ignores a wrong weekday', () => {
  assert.equal(parseHttpDate('Mon, 06 Nov 1994 08:49:37 GMT'), moment)
})

test('rejects other zones, languages and formats', () => {
  for (const text of [
    '',
    '0',
    '-1',
    'never',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37 +0200',
    'Sun, 06 Nov 1994 08:49:37',
    'So, 06 Nov 1994 08:49:37 GMT',
    'Sonntag, 06. November 1994 08:49',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 25:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    '06/11/1994 08:49',
    `Sun, 06 Nov 1994 08:49:37 GMT${'x'.repeat(10_000)}`,
  ])
    assert.equal(parseHttpDate(text), null, text.slice(0, 50))
})
