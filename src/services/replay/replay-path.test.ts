import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { endOf, readReplayPath, replayPath, timeDigits } from './replay-path.ts'

describe('path of a capture', () => {
  test('has a full or partial time and a URL with its query', () => {
    const url = 'https://a.example/x?y=1&z=%E4'
    assert.deepEqual(readReplayPath(`20260102030405/${url}`), {
      ...{ kind: 'page', time: '20260102030405', url, at: Date.UTC(2026, 0, 2, 3, 4, 5, 999) },
    })
    assert.equal(readReplayPath(`20260102030405if_/${url}`).kind, 'frame')
    assert.deepEqual(readReplayPath(`*/${url}`), { kind: 'list', url })
    assert.deepEqual(readReplayPath(`timemap/link/${url}`), { kind: 'timemap', url })
    assert.deepEqual(readReplayPath(url), { kind: 'last', url })
    // As changed by proxies, and as people type it.
    assert.equal(readReplayPath('2026/https:/a.example/x').url, 'https://a.example/x')
    assert.equal(readReplayPath('2026/a.example').url, 'https://a.example/')
    assert.equal(readReplayPath('1.example/x').url, 'https://1.example/x')
    assert.equal(readReplayPath('2026/https://ada:secret@a.example/#part').url, 'https://a.example/')
    assert.equal(replayPath(Date.UTC(2026, 0, 2), url, 'if_'), `/web/20260102000000if_/${url}`)
  })

  test('reads a partial time as the end of its period', () => {
    const ends = { '2026': [2027], '202602': [2026, 2], '20260228': [2026, 2], '2026022823': [2026, 2] } as const
    for (const [digits, [year, month = 0]] of Object.entries(ends))
      assert.equal(endOf(digits), Date.UTC(year, month) - 1, digits)
    assert.equal(endOf('202602282358'), Date.UTC(2026, 1, 28, 23, 59) - 1)
    assert.equal(timeDigits(endOf('20240229')!), '20240229235959')
  })

  test('is refused if the time or the URL is invalid', () => {
    const times = [
      '202',
      '20261',
      '20261301',
      '20260230',
      '2026010224',
      '00000101',
      '99999999999999',
      '202601020304056',
      '2026x',
      '**',
    ]
    for (const time of times) assert.throws(() => readReplayPath(`${time}/https://a.example/`), isInvalid, time)
    for (const url of ['', 'https://', 'http://[', `https://a.example/${'a'.repeat(100_000)}`, '://', '%zz'])
      assert.throws(() => readReplayPath(`2026/${url}`), isInvalid, url.slice(0, 40))
  })
})

const isInvalid = (error: unknown): boolean => isAppError(error, 'request-invalid')
