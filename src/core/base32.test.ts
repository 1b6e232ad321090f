import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fromBase32, toBase32 } from './base32.ts'

describe('base32', () => {
  it('is that of RFC 4648', () => {
    for (const [plain, text] of [
      ['', ''],
      ['f', 'MY======'],
      ['fo', 'MZXQ===='],
      ['foo', 'MZXW6==='],
      ['foob', 'MZXW6YQ='],
      ['fooba', 'MZXW6YTB'],
      ['foobar', 'MZXW6YTBOI======'],
    ] as const) {
      assert.equal(toBase32(Buffer.from(plain)), text)
      assert.equal(fromBase32(text)?.toString(), plain)
      assert.equal(fromBase32(text.toLowerCase().replaceAll('=', ''))?.toString(), plain)
    }
  })

  it('survives the way there and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.deepEqual(fromBase32(toBase32(bytes)), Buffer.from(bytes))
      }),
    )
  })

  it('is not read from other characters, nor with bits to spare', () => {
    for (const text of ['M1======', 'MZ!Q====', 'MZ======', 'M=Y=====']) assert.equal(fromBase32(text), null, text)
  })
})
