import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { bodyDigest, digestText } from '../../core/url/fingerprint.ts'
import { resourceRecord, responseRecord } from '../warc/record-writer.ts'
import { responseHeader } from './dropped-bodies.ts'

const body = Buffer.from('text')
const common = {
  ...{ uri: 'http://a.example/', date: 0, address: null, body, truncated: null },
  payloadDigest: digestText(bodyDigest(body)),
}

test('a dropped body leaves its HTTP header, if it has one', () => {
  const response = responseRecord({ ...common, statusLine: 'HTTP/1.1 200 OK', rawHeaders: ['A', 'b'] })
  assert.equal(responseHeader(Buffer.concat(response.parts)), 'HTTP/1.1 200 OK\r\nA: b\r\n')
  const resource = resourceRecord({ ...common, contentType: 'text/plain', refers: null })
  assert.equal(responseHeader(Buffer.concat(resource.parts)), '')
  assert.throws(
    () => responseHeader(body),
    (error) => isAppError(error, 'record-damaged'),
  )
})
