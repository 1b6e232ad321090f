import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { toBase32 } from '../../core/url/fingerprint.ts'
import { WarcHeaders } from '../../core/warc/record-head.ts'
import { parseDigest } from './digest.ts'
import { checkRecord } from './record-check.ts'
import type { ArchiveRecord } from './record-reader.ts'

const block = Buffer.from('HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody')

function record(changes: Record<string, string | null>, content = block): ArchiveRecord {
  const fields: Record<string, string | null> = {
    'WARC-Record-ID': '<urn:uuid:0a183026-e148-401a-838d-1d59036ba6b7>',
    'WARC-Date': '2026-01-02T03:04:05Z',
    'WARC-Target-URI': 'http://h/',
    'Content-Type': 'application/http; msgtype=response',
    ...changes,
  }
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null)
  const head = { version: '1.1', type: fields['WARC-Type'] ?? 'response', blockLength: content.length }
  return { ...head, headers: new WarcHeaders(entries), offset: 0, length: 1, block: content, passedDigest: null }
}

test('verifies digests of every algorithm and encoding', () => {
  for (const algorithm of ['sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'md5']) {
    for (const field of ['WARC-Block-Digest', 'WARC-Payload-Digest']) {
      const data = field === 'WARC-Block-Digest' ? block : Buffer.from('body')
      const right = createHash(algorithm).update(data).digest()
      const wrong = createHash(algorithm).update('other').digest()
      const spellings = [toBase32, (bytes: Buffer) => toBase32(bytes).toLowerCase(), hex, upperHex, base64, base64url]
      for (const spell of spellings) {
        assert.equal(
          checkRecord(record({ [field]: `${algorithm}:${spell(right)}` })).kind,
          'ok',
          `${algorithm} ${spell.name}`,
        )
        assert.equal(checkRecord(record({ [field]: `${algorithm}:${spell(wrong)}` })).kind, 'damaged')
      }
    }
  }
})

test('ignores a digest of an unknown algorithm, but a malformed one is damage', () => {
  assert.equal(checkRecord(record({ 'WARC-Block-Digest': 'blake3:abc' })).kind, 'ok')
  assert.equal(checkRecord(record({ 'WARC-Block-Digest': 'sha1:abc' })).kind, 'damaged')
  assert.equal(parseDigest('sha1'), 'malformed')
})

test('accepts SHA as a name of SHA-1', () => {
  const right = hex(createHash('sha1').update(block).digest())
  assert.equal(checkRecord(record({ 'WARC-Block-Digest': `SHA:${right}` })).kind, 'ok')
  assert.equal(checkRecord(record({ 'WARC-Block-Digest': `sha:${'0'.repeat(40)}` })).kind, 'damaged')
})

test('accepts valid dates of any precision, and no impossible ones', () => {
  for (const date of [
    '2024',
    '2024-02',
    '2024-02-29',
    '2024-02-29T23:05Z',
    '2016-12-31T23:59:60Z',
    '2024-02-29T23:05:59.123456789Z',
  ])
    assert.equal(checkRecord(record({ 'WARC-Date': date })).kind, 'ok', date)
  for (const date of [
    '2024-00',
    '2024-13-01',
    '2024-01-32',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60Z',
    '2024-01-01T00:00:61Z',
  ])
    assert.equal(checkRecord(record({ 'WARC-Date': date })).kind, 'damaged', date)
})

test('a field with two different values is damage, unless it is repeatable or unknown', () => {
  const again = (name: string, value: string) => {
    const { headers, ...rest } = record({ 'WARC-Concurrent-To': '<urn:x:1>', 'X-Own': 'a' })
    return checkRecord({ ...rest, headers: new WarcHeaders([...headers.entries, [name, value]]) }).kind
  }
  assert.equal(again('warc-date', '2026-01-02T03:04:06Z'), 'damaged')
  assert.equal(again('WARC-Target-URI', 'http://other/'), 'damaged')
  assert.equal(again('WARC-Date', '2026-01-02T03:04:05Z'), 'ok')
  assert.equal(again('WARC-Concurrent-To', '<urn:x:2>'), 'ok')
  assert.equal(again('X-Own', 'b'), 'ok')
})

test('a missing or malformed mandatory field is damage', () => {
  assert.deepEqual(checkRecord(record({})), { kind: 'ok' })
  for (const changes of [
    { 'WARC-Record-ID': null },
    { 'WARC-Record-ID': 'urn:uuid:x' },
    { 'WARC-Date': null },
    { 'WARC-Date': '02/03/2026' },
    { 'WARC-Target-URI': null },
    { 'Content-Type': 'html' },
    { 'WARC-Type': 'revisit' },
  ]) {
    assert.equal(checkRecord(record(changes)).kind, 'damaged', JSON.stringify(changes))
  }
  assert.equal(checkRecord({ ...record({}), blockLength: 5 }).kind, 'damaged')
})

test('a response without a Content-Type is an HTTP message if its URI is an http one', () => {
  const ofBody = { 'WARC-Payload-Digest': `sha1:${hex(createHash('sha1').update('body').digest())}` }
  const ofBlock = { 'WARC-Payload-Digest': `sha1:${hex(createHash('sha1').update(block).digest())}` }
  const noType = { 'Content-Type': null }
  assert.equal(checkRecord(record({ ...noType, ...ofBody })).kind, 'ok')
  assert.equal(checkRecord(record({ ...noType, ...ofBlock })).kind, 'damaged')
  assert.equal(checkRecord(record({ ...noType, ...ofBlock, 'WARC-Target-URI': 'dns:h' })).kind, 'ok')
  assert.equal(checkRecord(record({ ...noType, ...ofBlock, 'WARC-Type': 'resource' })).kind, 'ok')
})

test('the payload digest of a chunked block may be computed with or without chunk framing', () => {
  const chunked = '4\r\nbody\r\n0\r\n\r\n'
  const content = Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`)
  for (const [payload, kind] of [
    ['body', 'ok'],
    [chunked, 'ok'],
    ['bodx', 'damaged'],
  ] as const) {
    const digest = `sha1:${toBase32(createHash('sha1').update(payload).digest())}`
    assert.equal(checkRecord(record({ 'WARC-Payload-Digest': digest }, content)).kind, kind)
  }
})

test("a revisit's payload digest is not verified, as it refers to another record", () => {
  const digest = `sha1:${toBase32(Buffer.alloc(20))}`
  const revisit = {
    'WARC-Type': 'revisit',
    'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
  }
  assert.deepEqual(checkRecord(record({ ...revisit, 'WARC-Payload-Digest': digest })), { kind: 'ok' })
})

function hex(bytes: Buffer): string {
  return bytes.toString('hex')
}

function upperHex(bytes: Buffer): string {
  return hex(bytes).toUpperCase()
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64')
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url')
}
