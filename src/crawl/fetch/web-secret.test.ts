import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headersOfSecret } from './web-secret.ts'

test('each kind of secret sets its header', () => {
  const basic = headersOfSecret({ kind: 'basic', user: 'änn', password: 'a:b c' })
  assert.equal(Buffer.from(basic.authorization!.slice('Basic '.length), 'base64').toString(), 'änn:a:b c')
  assert.deepEqual(headersOfSecret({ kind: 'bearer', token: 'abc.def' }), { authorization: 'Bearer abc.def' })
  assert.deepEqual(headersOfSecret({ kind: 'header', name: 'X-Api-Key', value: ' k1 ' }), { 'x-api-key': 'k1' })
  assert.deepEqual(headersOfSecret({ kind: 'cookie', cookie: 'a=1; b=ü' }), { cookie: 'a=1; b=\xc3\xbc' })
})

test('rejects invalid secrets and those that could forge headers, without revealing them', () => {
  for (const secret of [
    { kind: 'basic', user: 'a:b', password: 's3cret' },
    { kind: 'basic', user: 'a', password: 's3cret\r\nX: 1' },
    { kind: 'bearer', token: 's3cret\nX: 1' },
    { kind: 'bearer', token: '' },
    { kind: 'header', name: 'x', value: 's3cret\r\nX: 1' },
    { kind: 'header', name: 'x: y\r\n', value: 's3cret' },
    { kind: 'header', name: 'Content-Length', value: 's3cret' },
    { kind: 'header', name: 'host', value: 's3cret' },
    { kind: 'cookie', cookie: 's3cret\0' },
    { kind: '__proto__' },
    { user: 'a', password: 's3cret' },
  ])
    assert.throws(
      () => headersOfSecret(secret as never),
      (error: Error & { code: string }) => {
        assert.equal(error.code, 'sign-in-failed')
        assert.doesNotMatch(error.message, /s3cret/)
        return true
      },
    )
})
