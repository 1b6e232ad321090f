import assert from 'node:assert/strict'
import test from 'node:test'
import { digestOf } from './digest.ts'
import { parseHttpBlock } from './http-block.ts'
import { checkRecord } from './record-check.ts'
import { recordContent } from './record-content.ts'
import { type ArchiveRecord, readRecords } from './record-reader.ts'
import {
  newRecordId,
  type ResponseInput,
  resourceRecord,
  responseRecord,
  revisitRecord,
  type WrittenRecord,
  warcinfoRecord,
} from './record-writer.ts'

const date = Date.UTC(2026, 4, 6, 7, 8, 9, 123)
const body = Buffer.from('<p>Grüße</p>')

function responseInput(changes: Partial<ResponseInput> = {}): ResponseInput {
  return {
    uri: 'https://example.org/a?b=c',
    date,
    address: '192.0.2.7',
    statusLine: 'HTTP/1.1 200 OK',
    rawHeaders: ['Content-Type', 'text/html', 'Content-Length', String(body.length)],
    body,
    payloadDigest: digestOf('sha256', [changes.body ?? body]),
    truncated: null,
    ...changes,
  }
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readBack(...written: (WrittenRecord | Buffer)[]): Promise<ArchiveRecord[]> {
  const bytes = written.flatMap((record) => (Buffer.isBuffer(record) ? [record] : record.parts))
  const records: ArchiveRecord[] = []
  for await (const record of readRecords(inChunks(Buffer.concat(bytes), 1000))) records.push(record)
  for (const record of records) assert.deepEqual(checkRecord(record), { kind: 'ok' })
  return records
}

test('a response is read back as written', async () => {
  const written = responseRecord(responseInput({ warcinfoId: newRecordId(), blockDigest: 'sha1' }))
  const [record, ...others] = await readBack(written)
  assert.equal(others.length, 0)
  assert.equal(record!.length, written.length)
  assert.equal(record!.version, '1.1')
  assert.equal(record!.headers.get('warc-record-id'), written.recordId)
  assert.equal(record!.headers.get('warc-date'), '2026-05-06T07:08:09.123Z')
  assert.equal(record!.headers.get('warc-target-uri'), 'https://example.org/a?b=c')
  const http = parseHttpBlock(record!.block!)!
  assert.equal(http.status, 200)
  assert.deepEqual(http.headers.entries, [
    ['Content-Type', 'text/html'],
    ['Content-Length', String(body.length)],
  ])
  assert.deepEqual(http.body, body)
})

test('the body is not copied', () => {
  const large = Buffer.alloc(100_000)
  const { parts } = responseRecord(responseInput({ body: large }))
  assert.equal(parts[1]!.buffer, large.buffer)
})

test('header fields that contradict the stored body are renamed', async () => {
  const rawHeaders = ['transfer-encoding', 'chunked', 'Content-Length', '9999', 'X-A', 'b']
  const [record] = await readBack(responseRecord(responseInput({ rawHeaders, truncated: 'length' })))
  assert.deepEqual(parseHttpBlock(record!.block!)!.headers.entries, [
    ['X-Archive-Orig-transfer-encoding', 'chunked'],
    ['X-Archive-Orig-Content-Length', '9999'],
    ['X-A', 'b'],
    ['Content-Length', String(body.length)],
  ])
  assert.equal(record!.headers.get('WARC-Truncated'), 'length')
})

test('a missing Content-Length is not added', async () => {
  const [record] = await readBack(responseRecord(responseInput({ rawHeaders: ['X-A', 'b'] })))
  assert.equal(parseHttpBlock(record!.block!)!.headers.get('Content-Length'), null)
})

test('line breaks in input cannot break the framing', async () => {
  const evil = 'a\r\nContent-Length: 1\r\n\r\nWARC/1.1\r\n\0'
  const input = responseInput({
    uri: `http://h/${evil} ü`,
    address: evil,
    statusLine: `HTTP/1.1 200 ${evil}`,
    rawHeaders: [evil, evil, `X-B${evil}`, 'kept'],
    payloadDigest: digestOf('sha1', [body]),
  })
  const again = warcinfoRecord({ filename: evil, software: evil, date, fields: { [evil]: evil, ok: 'Ж' } })
  const records = await readBack(responseRecord(input), again, responseRecord(responseInput()))
  assert.equal(records.length, 3)
  assert.deepEqual(parseHttpBlock(records[0]!.block!)!.body, body)
  assert.match(records[0]!.headers.get('WARC-Target-URI')!, /^http:\/\/h\/a%0D%0A[!-~]*%20%C3%BC$/)
  assert.match(records[1]!.block!.toString('utf8'), /^(?:[^\n]*\n){3}ok: Ж\r\n$/)
})

test('header values outside Latin-1 are written as UTF-8', async () => {
  const [record] = await readBack(responseRecord(responseInput({ rawHeaders: ['X-A', 'Ж'] })))
  assert.ok(record!.block!.includes(Buffer.from('X-A: Ж\r\n')))
})

test('revisit and warcinfo records are valid', async () => {
  const info = newRecordId()
  const first = responseRecord(responseInput({ warcinfoId: info }))
  const revisit = revisitRecord({
    ...responseInput(),
    statusLine: 'HTTP/1.1 304 Not Modified',
    profile: 'server-not-modified',
    refersToUri: 'https://example.org/a?b=c',
    refersToDate: new Date(date),
    refersToId: first.recordId,
    payloadDigest: null,
  })
  const warcinfo = warcinfoRecord({
    filename: 'a.warc',
    software: 'eRACE',
    date,
    fields: { robots: 'obey' },
    recordId: info,
  })
  const records = await readBack(warcinfo, first, revisit)
  assert.deepEqual(
    records.map((record) => record.type),
    ['warcinfo', 'response', 'revisit'],
  )
  const [described, , seenAgain] = records
  assert.equal(described!.headers.get('WARC-Filename'), 'a.warc')
  assert.match(described!.block!.toString(), /^software: eRACE\r\nformat: WARC File Format 1.1\r\nrobots: obey\r\n$/)
  assert.equal(seenAgain!.headers.get('WARC-Profile'), 'http://netpreserve.org/warc/1.1/revisit/server-not-modified')
  assert.equal(seenAgain!.headers.get('WARC-Refers-To'), first.recordId)
  assert.equal(parseHttpBlock(seenAgain!.block!)!.body.length, 0)
})

const item = { uri: 'imap://example.org/INBOX;UID=7', date, address: null, truncated: null, refers: null }

test('a resource is read back with its type and without a header, even if it is an HTTP message', async () => {
  const http = Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip')
  for (const [contentType, block] of [
    ['text/plain; charset=utf-8', Buffer.from('Grüße')],
    ['message/rfc822', http],
    ['application/octet-stream', Buffer.alloc(0)],
  ] as const) {
    const payloadDigest = digestOf('sha256', [block])
    const [record] = await readBack(resourceRecord({ ...item, contentType, body: block, payloadDigest }))
    assert.equal(record!.type, 'resource')
    assert.deepEqual(recordContent(record!, record!.block!), {
      ...{ header: '', status: null, contentType, encodings: undefined, body: block },
    })
  }
})

test('a resource with a known body is written as a revisit with its own type', async () => {
  const refers = { uri: 'ftp://example.org/a', date: date - 1000 }
  const payloadDigest = digestOf('sha256', [body])
  const [record] = await readBack(resourceRecord({ ...item, contentType: 'text/html', body, payloadDigest, refers }))
  assert.deepEqual([record!.type, record!.blockLength], ['revisit', 0])
  assert.equal(record!.headers.get('WARC-Refers-To-Target-URI'), refers.uri)
  assert.equal(recordContent(record!, record!.block!)!.contentType, 'text/html')
})

test('invalid media types and those of HTTP responses are replaced in a resource', async () => {
  for (const contentType of ['', 'nonsense', 'a/b\r\nWARC-Type: x', 'application/http; msgtype=response']) {
    const payloadDigest = digestOf('sha256', [body])
    const [record, ...others] = await readBack(resourceRecord({ ...item, contentType, body, payloadDigest }))
    assert.deepEqual(
      [record!.type, record!.headers.getAll('Content-Type'), others],
      [...['resource', ['application/octet-stream'], []]],
    )
  }
})

test('records do not reveal on whose behalf a page was requested', async () => {
  const uri = `https://~b-${'0123456789ab'.repeat(2)}@example.org/a`
  const [response, revisit, resource] = await readBack(
    responseRecord(responseInput({ uri })),
    resourceRecord({
      ...{ ...item, uri, contentType: 'text/html', body, payloadDigest: digestOf('sha256', [body]) },
      refers: { uri, date },
    }),
    resourceRecord({ ...item, uri, contentType: 'text/html', body, payloadDigest: digestOf('sha256', [body]) }),
  )
  const fields = [response, revisit, resource].flatMap((record) => record!.headers.entries.map(([, value]) => value))
  assert.equal(fields.filter((value) => value === 'https://example.org/a').length, 4)
  assert.ok(!fields.some((value) => value.includes('~')))
})

test('dates have millisecond precision in any order, and invalid ones are rejected', async () => {
  const dates = [date, date - 123, date - 124, date + 0.9, -1, -999.5, Date.UTC(9999, 11, 31), new Date(date)]
  const records = await readBack(...dates.map((each) => responseRecord(responseInput({ date: each }))))
  assert.deepEqual(
    records.map(({ headers }) => headers.get('warc-date')),
    dates.map((each) => new Date(each).toISOString()),
  )
  assert.throws(() => responseRecord(responseInput({ date: Number.NaN })), RangeError)
})

test('record ids are unique UUIDs', () => {
  const ids = Array.from({ length: 1000 }, newRecordId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids)
    assert.match(id, /^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/)
})
