import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signRequest } from './signature.ts'

/** The examples in Amazon's documentation of the protocol, with the signatures given there. */
const key = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const at = Date.UTC(2013, 4, 24)
const bucket = 'https://examplebucket.s3.amazonaws.com'

const examples = [
  {
    name: 'a range of an object',
    request: { method: 'GET', url: `${bucket}/test.txt`, headers: [['range', 'bytes=0-9']], body: '' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'an object that is written, with a name that has to be encoded',
    request: {
      method: 'PUT',
      url: `${bucket}/test$file.text`,
      headers: [
        ['date', 'Fri, 24 May 2013 00:00:00 GMT'],
        ['x-amz-storage-class', 'REDUCED_REDUNDANCY'],
      ],
      body: 'Welcome to Amazon S3.',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'a list of objects',
    request: { method: 'GET', url: `${bucket}/?max-keys=2&prefix=J`, headers: [], body: '' },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
  {
    name: 'a parameter without a value',
    request: { method: 'GET', url: `${bucket}/?lifecycle`, headers: [], body: '' },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
] as const

for (const { name, request, signature } of examples)
  test(`requests are signed as in Amazon's examples: ${name}`, () => {
    const { method, url, headers, body } = request
    const given = { method, url: new URL(url), headers: new Map<string, string>(headers), body: Buffer.from(body) }
    const signed = signRequest(given, key, at)
    assert.match(signed.get('authorization')!, new RegExp(`Signature=${signature}$`))
    assert.match(signed.get('authorization')!, /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20130524\//)
  })
