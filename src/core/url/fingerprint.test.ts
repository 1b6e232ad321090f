import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bodyDigest, digestText, fromBase32, toBase32 } from './fingerprint.ts'

const emptyText = 'sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ===='
const emptyHex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('the digest of a body', () => {
  it('is its SHA-256', () => {
    assert.equal(bodyDigest(new Uint8Array(0)).toString('hex'), emptyHex)
    assert.equal(bodyDigest(Buffer.from('abc')).toString('hex').slice(0, 16), 'ba7816bf8f01cfea')
  })

  it('is written in padded base32', () => {
    assert.equal(digestText(bodyDigest(new Uint8Array(0))), emptyText)
  })
})

describe('base32', () => {
  it('follows RFC 4648', () => {
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

  it('round-trips any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.deepEqual(fromBase32(toBase32(bytes)), Buffer.from(bytes))
      }),
    )
  })

  it('rejects invalid characters, misplaced padding and excess bits', () => {
    for (const text of ['M1======', 'MZ!Q====', 'MZ======', 'M=Y=====']) assert.equal(fromBase32(text), null, text)
  })
})
