import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { AppError } from '../core/errors.ts'
import { bodyDigest, digestText } from '../core/url/fingerprint.ts'
import { versionOf } from '../store/conformance/samples.testkit.ts'
import type { RecordPointer } from '../store/contracts/objects.ts'
import type { Version } from '../store/contracts/versions.ts'
import { createBodyReader } from './body-reader.ts'
import { docxOf, wordParagraph } from './media/documents.testkit.ts'
import { resourceRecord, responseRecord, revisitRecord } from './warc/record-writer.ts'

const page = Buffer.from('<p>Grüße</p>')
const exchange = { uri: 'http://a.example/', date: 0, address: '192.0.2.1', statusLine: 'HTTP/1.1 200 OK' }

function response(body: Buffer, rawHeaders: string[] = ['Content-Type', 'text/html; charset=utf-8']): Buffer {
  const payloadDigest = digestText(bodyDigest(body))
  return Buffer.concat(responseRecord({ ...exchange, rawHeaders, body, payloadDigest, truncated: null }).parts)
}

function revisit(rawHeaders: string[]): Buffer {
  const profile = 'identical-payload-digest'
  const refers = { refersToUri: 'http://b.example/', refersToDate: 0 }
  const payloadDigest = digestText(bodyDigest(page))
  return Buffer.concat(revisitRecord({ ...exchange, ...refers, rawHeaders, payloadDigest, profile }).parts)
}

function resource(body: Buffer, contentType: string, refers: { uri: string; date: number } | null = null): Buffer {
  const payloadDigest = digestText(bodyDigest(body))
  const input = { uri: 'ftp://a.example/', date: 0, address: null, contentType, body, payloadDigest, refers }
  return Buffer.concat(resourceRecord({ ...input, truncated: null }).parts)
}

/** Records by file and rows by id, which a test can change between two reads as a collector would. */
function createArchive(body: Buffer = page) {
  const files = new Map<number, Buffer>()
  const rows = new Map<number, Version>()
  let reads = 0
  const row = (id: number, changes: Partial<Version> = {}): Version => {
    const record = files.get(id)
    const version = versionOf(id, {
      n: id,
      size: body.length,
      digest: bodyDigest(body),
      record: record === undefined ? null : { fileId: id, offset: 0, length: record.length },
      ...changes,
    })
    rows.set(id, version)
    return version
  }
  const reader = createBodyReader({
    versions: { version: async (id) => rows.get(id) ?? null },
    objects: {
      async read({ fileId }: RecordPointer) {
        reads++
        const bytes = files.get(fileId)
        if (bytes === undefined) throw new AppError('store-damaged', `file ${fileId} is not there`)
        return bytes
      },
    },
  })
  return { files, rows, row, reader, reads: () => reads }
}

test('reads the whole body, decoded from its content encodings', async () => {
  const encodings: [string[], Buffer][] = [
    [[], page],
    [['Content-Encoding', 'gzip'], gzipSync(page)],
    [['Content-Encoding', 'gzip', 'content-encoding', 'br'], brotliCompressSync(gzipSync(page))],
  ]
  for (const [fields, stored] of encodings) {
    const archive = createArchive()
    archive.files.set(1, response(stored, ['Content-Type', 'text/html; charset=utf-8', ...fields]))
    const read = await archive.reader.read(archive.row(1))
    assert.ok(read.kind === 'body', JSON.stringify(read))
    assert.deepEqual(read.body, page)
    assert.equal(read.contentType, 'text/html; charset=utf-8')
    assert.match(read.header, /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/html; charset=utf-8\r\n/)
    assert.deepEqual(read.record, archive.files.get(1))
  }
})

test('a resource has a content type but no header, and its revisit has its own content type', async () => {
  const archive = createArchive()
  archive.files.set(1, resource(page, 'text/html; charset=utf-8'))
  archive.files.set(2, resource(page, 'text/plain', { uri: 'ftp://a.example/', date: 0 }))
  const read = await archive.reader.read(archive.row(1))
  assert.deepEqual(read, {
    ...{ kind: 'body', header: '', contentType: 'text/html; charset=utf-8', body: page, record: archive.files.get(1) },
  })
  const other = await archive.reader.read(archive.row(2, { originalId: 1 }))
  assert.ok(other.kind === 'body', JSON.stringify(other))
  assert.deepEqual([other.header, other.contentType, other.body], ['', 'text/plain', page])
})

test('readText converts a readable document to HTML, and read returns the original', async () => {
  const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const document = docxOf(wordParagraph('Grüße'))
  const archive = createArchive(document)
  archive.files.set(1, resource(document, docx))
  const text = await archive.reader.readText(archive.row(1))
  assert.ok(text.kind === 'body')
  assert.deepEqual([text.contentType, text.unreadable], ['text/html; charset=utf-8', undefined])
  assert.match(text.body.toString(), /<p>Grüße<\/p>/)
  const read = await archive.reader.read(archive.row(1))
  assert.ok(read.kind === 'body')
  assert.deepEqual([read.contentType, read.body], [docx, document])

  const damaged = createArchive(page)
  damaged.files.set(1, resource(page, docx))
  const kept = await damaged.reader.readText(damaged.row(1))
  assert.ok(kept.kind === 'body')
  assert.deepEqual([kept.contentType, kept.unreadable, kept.body], [docx, 'damaged', page])
})

test('reads an empty body, even if it is declared as gzip', async () => {
  for (const stored of [Buffer.alloc(0), gzipSync('')]) {
    const archive = createArchive(Buffer.alloc(0))
    archive.files.set(1, response(stored, ['Content-Encoding', 'gzip']))
    const read = await archive.reader.read(archive.row(1))
    assert.ok(read.kind === 'body', JSON.stringify(read))
    assert.equal(read.body.length, 0)
    assert.equal(read.contentType, 'text/html')
  }
})

test('truncates a body that was truncated when fetched at the same length', async () => {
  const archive = createArchive(page.subarray(0, 5))
  archive.files.set(1, response(gzipSync(page), ['Content-Encoding', 'gzip']))
  const read = await archive.reader.read(archive.row(1, { truncated: 'length' }))
  assert.ok(read.kind === 'body')
  assert.equal(read.body.toString(), page.toString('utf8', 0, 5))
})

test('reads a body stored with another version, with the header of the requested version', async () => {
  const archive = createArchive()
  archive.files.set(1, response(gzipSync(page), ['Content-Type', 'text/html', 'Content-Encoding', 'gzip']))
  archive.files.set(2, revisit(['Content-Type', 'application/xhtml+xml', 'X-Own', 'yes']))
  archive.row(1)
  const read = await archive.reader.read(archive.row(2, { originalId: 1 }))
  assert.ok(read.kind === 'body', JSON.stringify(read))
  assert.deepEqual(read.body, page)
  assert.equal(read.contentType, 'application/xhtml+xml')
  assert.match(read.header, /X-Own: yes\r\n$/)
  assert.deepEqual(read.record, archive.files.get(2))
})

test('reports why a version has no body, with its header if known', async () => {
  const archive = createArchive()
  const dropped = archive.row(1, { body: 'dropped', header: 'HTTP/1.1 200 OK\r\nServer: x\r\n\r\n' })
  assert.deepEqual(await archive.reader.read(dropped), {
    kind: 'absent',
    why: 'dropped',
    header: 'HTTP/1.1 200 OK\r\nServer: x\r\n',
  })
  archive.files.set(2, response(Buffer.alloc(0), ['X-Gone', 'yes']))
  const gone = await archive.reader.read(archive.row(2, { body: 'none', reason: 'gone', digest: Buffer.alloc(0) }))
  assert.deepEqual(gone, { kind: 'absent', why: 'none', header: 'HTTP/1.1 200 OK\r\nX-Gone: yes\r\n' })
  const lost = await archive.reader.read(archive.row(3, { body: 'lost', record: { fileId: 9, offset: 0, length: 1 } }))
  assert.deepEqual(lost, { kind: 'absent', why: 'lost', header: '' })
})

test('finds a record that moved during the read', async () => {
  const archive = createArchive()
  archive.files.set(1, response(page))
  const old = archive.row(1)
  archive.files.set(7, archive.files.get(1)!)
  archive.files.delete(1)
  archive.row(1, { record: { ...old.record!, fileId: 7 } })
  assert.equal((await archive.reader.read(old)).kind, 'body')
})

test('finds a body whose original changed during the read', async () => {
  const archive = createArchive()
  archive.files.set(1, response(page))
  archive.files.set(2, revisit([]))
  const old = archive.row(2, { originalId: 1 })
  archive.files.set(2, response(page))
  archive.row(2)
  assert.equal((await archive.reader.read(old)).kind, 'body')
})

test('a version removed during the read is absent, one that stays unreadable is damaged', async () => {
  const archive = createArchive()
  archive.files.set(1, response(page))
  const version = archive.row(1)
  archive.files.delete(1)
  assert.deepEqual(await archive.reader.read(version), { kind: 'damaged', message: 'file 1 is not there' })
  assert.equal(archive.reads(), 2)
  archive.rows.delete(1)
  assert.deepEqual(await archive.reader.read(version), { kind: 'absent', why: 'dropped', header: '' })
})

test('reports any damage without throwing', async () => {
  const record = response(page)
  const wrong = Buffer.from(record)
  wrong[record.indexOf('Gr')]! ^= 1
  const noHttp = Buffer.from(record.toString('latin1').replace('HTTP/1.1', 'XTTP/1.1'), 'latin1')
  for (const bytes of [wrong, noHttp, record.subarray(0, 300), Buffer.from('noise'), Buffer.alloc(0)]) {
    const archive = createArchive()
    archive.files.set(1, bytes)
    assert.equal((await archive.reader.read(archive.row(1))).kind, 'damaged')
  }
  const archive = createArchive()
  assert.equal((await archive.reader.read(archive.row(1))).kind, 'damaged')
  assert.equal((await archive.reader.read(archive.row(2, { originalId: 5 }))).kind, 'damaged')
})
