import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bodyDigest, digestText } from './fingerprint.ts'

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
