import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { WARCParser } from 'warcio'
import { digestOf } from './digest.ts'
import { newRecordId, resourceRecord, responseRecord, revisitRecord, warcinfoRecord } from './record-writer.ts'

const date = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const pages = [
  Buffer.from('<p>one</p>'),
  Buffer.alloc(0),
  Buffer.alloc(70_000, 'ü<a href="x">'),
  gzipSync('<p>coded</p>'),
]

function archive(): Buffer[] {
  const warcinfoId = newRecordId()
  const records = [warcinfoRecord({ filename: 'test.warc', software: 'eRACE', date, recordId: warcinfoId })]
  pages.forEach((body, index) => {
    const exchange = { uri: `http://example.org/${index}`, date, address: '2001:db8::1', warcinfoId }
    const coding = body[0] === 0x1f ? ['Content-Encoding', 'gzip'] : []
    const rawHeaders = [
      'Content-Type',
      'text/html',
      'Transfer-Encoding',
      'chunked',
      ...coding,
      'Set-Cookie',
      'a',
      'Set-Cookie',
      'b',
    ]
    const payloadDigest = digestOf('sha256', [body])
    const answer = { statusLine: 'HTTP/1.1 200 OK', rawHeaders, payloadDigest, blockDigest: 'sha256' as const }
    const response = responseRecord({ ...exchange, ...answer, body, truncated: null })
    const refers = { refersToUri: exchange.uri, refersToDate: date, refersToId: response.recordId }
    const revisit = revisitRecord({ ...exchange, ...answer, ...refers, profile: 'identical-payload-digest' })
    const item = { ...exchange, contentType: 'text/html', body, payloadDigest, truncated: null }
    const resource = resourceRecord({ ...item, blockDigest: 'sha256', refers: null })
    const again = resourceRecord({ ...item, refers: { uri: exchange.uri, date } })
    for (const { parts } of [response, revisit, resource, again]) records.push(Buffer.concat(parts))
  })
  return records
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

for (const [form, write] of [
  ['plain', (records: Buffer[]) => Buffer.concat(records)],
  ['compressed', (records: Buffer[]) => Buffer.concat(records.map((record) => gzipSync(record)))],
] as const) {
  test(`an independent reader reads our ${form} file without warnings`, async (t) => {
    const complaints = ['warn', 'error', 'log'].map((name) => t.mock.method(console, name as 'warn', () => {}))
    const types: (string | undefined)[] = []
    const bodies: Buffer[] = []
    for await (const record of new WARCParser(once(write(archive())))) {
      types.push(record.warcType)
      assert.equal(record.warcDate, '2026-01-02T03:04:05.678Z')
      const payload = Buffer.from(await record.readFully(false))
      if (record.warcType === 'warcinfo') continue
      assert.match(record.warcTargetURI!, /^http:\/\/example\.org\/\d$/)
      const isHttp = record.warcContentType === 'application/http; msgtype=response'
      if (isHttp) assert.equal(record.httpHeaders?.statusCode, 200)
      else assert.equal(record.httpHeaders, null)
      assert.equal(isHttp ? record.httpHeaders?.headers.get('Content-Type') : record.warcContentType, 'text/html')
      if (record.warcType !== 'revisit') bodies.push(payload)
      else assert.equal(payload.length, 0)
    }
    assert.deepEqual(types, ['warcinfo', ...pages.flatMap(() => ['response', 'revisit', 'resource', 'revisit'])])
    assert.deepEqual(
      bodies,
      pages.flatMap((page) => [page, page]),
    )
    assert.deepEqual(
      complaints.map((method) => method.mock.callCount()),
      [0, 0, 0],
    )
  })
}
