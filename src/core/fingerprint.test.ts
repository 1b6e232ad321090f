import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bodyDigest, digestText, parseDigestText } from './fingerprint.ts'

const emptyText = 'sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ===='
const emptyHex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

describe('the digest of a body', () => {
  it('is its SHA-256', () => {
    assert.equal(bodyDigest(new Uint8Array(0)).toString('hex'), emptyHex)
    assert.equal(bodyDigest(Buffer.from('abc')).toString('hex').slice(0, 16), 'ba7816bf8f01cfea')
  })

  it('is written in padded base32 and read back from base32 and hexadecimal', () => {
    const digest = bodyDigest(new Uint8Array(0))
    assert.equal(digestText(digest), emptyText)
    for (const text of [emptyText, emptyText.slice(0, -4), emptyText.toLowerCase(), `sha256:${emptyHex}`]) {
      assert.deepEqual(parseDigestText(text), digest, text)
    }
    assert.deepEqual(parseDigestText(`SHA-256:${emptyHex.toUpperCase()}`), digest)
  })

  it('survives the way there and back for any body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (body) => {
        const digest = bodyDigest(body)
        assert.deepEqual(parseDigestText(digestText(digest)), digest)
      }),
    )
  })

  it('is not read from a text of another algorithm, length or alphabet', () => {
    const spare = `${emptyText.slice(0, -5)}R`
    for (const text of [
      '',
      'sha256:',
      'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
      `sha256:${emptyHex}00`,
      `md5:${emptyHex}`,
      spare,
    ]) {
      assert.equal(parseDigestText(text), null, text)
    }
  })
})
