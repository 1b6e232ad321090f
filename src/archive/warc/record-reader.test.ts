import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { RecordDamage } from '../../core/warc/record-head.ts'
import { digestOf } from './digest.ts'
import { checkRecord } from './record-check.ts'
import { type ArchiveRecord, type ReadOptions, readRecordAt, readRecords } from './record-reader.ts'
import { responseRecord } from './record-writer.ts'

function recordOf(number: number, size: number): Buffer {
  const body = Buffer.alloc(size, `page ${number} `)
  const input = { uri: `http://h/${number}`, date: number, address: '127.0.0.1', statusLine: 'HTTP/1.1 200 OK' }
  const written = responseRecord({
    ...input,
    rawHeaders: ['X-Number', `${number}`],
    body,
    payloadDigest: digestOf('sha1', [body]),
    truncated: null,
    recordId: `<urn:uuid:00000000-0000-4000-8000-00000000000${number}>`,
    blockDigest: 'sha256',
  })
  return Buffer.concat(written.parts)
}

const plain = [recordOf(1, 300), recordOf(2, 0), recordOf(3, 5000)]

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

type Outcome = { records: ArchiveRecord[]; damage: RecordDamage | null }

async function readAll(bytes: Buffer, size = 1 << 16, options: ReadOptions = {}): Promise<Outcome> {
  const records: ArchiveRecord[] = []
  try {
    for await (const record of readRecords(inChunks(bytes, size), options)) records.push(record)
  } catch (error) {
    assert.ok(error instanceof RecordDamage, String(error))
    assert.equal(error.code, 'record-damaged')
    return { records, damage: error }
  }
  return { records, damage: null }
}

function assertPlaces(records: readonly ArchiveRecord[], parts: readonly Buffer[]): void {
  let offset = 0
  assert.equal(records.length, parts.length)
  records.forEach((record, index) => {
    assert.deepEqual([record.offset, record.length], [offset, parts[index]!.length])
    assert.deepEqual(checkRecord(record), { kind: 'ok' })
    offset += parts[index]!.length
  })
}

test('reads plain and compressed records with their positions, in chunks of any size', async () => {
  const members = plain.map((bytes) => gzipSync(bytes))
  for (const size of [1, 7, 100, 1 << 16]) {
    for (const parts of [plain, members]) {
      const { records, damage } = await readAll(Buffer.concat(parts), size)
      assert.equal(damage, null)
      assertPlaces(records, parts)
    }
  }
})

test('reads a file that was compressed as a whole, but without record lengths', async () => {
  const { records, damage } = await readAll(gzipSync(Buffer.concat(plain)), 50)
  assert.equal(damage, null)
  assert.deepEqual(
    records.map((record) => record.length),
    [null, null, null],
  )
  assert.ok(records.every((record) => checkRecord(record).kind === 'ok'))
})

test('a file cut anywhere yields the records before the cut, and the offset of the damage', async () => {
  const starts = plain.map((_, index) => Buffer.concat(plain.slice(0, index)).length)
  const whole = Buffer.concat(plain)
  for (let cut = 1; cut < whole.length; cut += cut < 1500 ? 1 : 97) {
    const { records, damage } = await readAll(whole.subarray(0, cut))
    const last = starts.findLastIndex((start) => start < cut)
    // Only the line ends after the block may be missing.
    const complete = cut >= starts[last]! + plain[last]!.length - 4
    assert.equal(records.length, complete ? last + 1 : last, `cut at ${cut}`)
    assert.equal(damage?.offset ?? null, complete ? null : starts[last], `cut at ${cut}`)
  }
})

test('a compressed file cut or damaged anywhere yields the records before that', async () => {
  const members = plain.map((bytes) => gzipSync(bytes))
  const whole = Buffer.concat(members)
  const starts = members.map((_, index) => Buffer.concat(members.slice(0, index)).length)
  for (let at = 1; at < whole.length; at += 5) {
    const last = starts.findLastIndex((start) => start < at)
    // Between two members nothing is missing.
    if (starts.includes(at)) continue
    const cut = await readAll(whole.subarray(0, at))
    assert.equal(cut.records.length, last, `cut at ${at}`)
    assert.equal(cut.damage?.offset, starts[last])
    if (at - starts[last]! < 10) continue
    const broken = Buffer.from(whole)
    broken[at]! ^= 0x55
    const { records, damage } = await readAll(broken)
    const member = starts.findLastIndex((start) => start <= at)
    if (at - starts[member]! < 10) continue
    assert.equal(damage?.offset, starts[member], `broken at ${at}`)
    const proven = records.filter((record) => record.length !== null)
    assert.equal(proven.length, member, `broken at ${at}`)
    assert.ok(proven.every((record) => checkRecord(record).kind === 'ok'))
  }
})

test('closes the source if the consumer stops early', async () => {
  for (const bytes of [Buffer.concat(plain), gzipSync(Buffer.concat(plain))]) {
    let closed = false
    async function* watched(): AsyncGenerator<Buffer> {
      try {
        yield* inChunks(bytes, 400)
      } finally {
        closed = true
      }
    }
    for await (const record of readRecords(watched())) {
      assert.equal(record.offset, 0)
      break
    }
    assert.equal(closed, true)
  }
})

test('ignores zeros after the last gzip member, but nothing else', async () => {
  const member = gzipSync(plain[0]!)
  assert.equal((await readAll(Buffer.concat([member, Buffer.alloc(5000)]))).damage, null)
  const { records, damage } = await readAll(Buffer.concat([member, Buffer.from('noise')]))
  assert.deepEqual([records.length, damage?.offset], [1, member.length])
})

test('skips a block above the size limit, but still verifies it', async () => {
  const { records } = await readAll(Buffer.concat(plain), 64, { maxBlockBytes: 1000 })
  assert.deepEqual(
    records.map((record) => record.block === null),
    [false, false, true],
  )
  assert.deepEqual(checkRecord(records[2]!), { kind: 'ok' })
  assert.equal(checkRecord({ ...records[2]!, passedDigest: '00' }).kind, 'damaged')
})

test('reads old versions, folded lines, bare line feeds, brackets and missing line endings', async () => {
  for (const version of ['0.17', '0.18', '1.0', '1.1']) {
    const text = `WARC/${version}\nwarc-type: Response\nX:\n a\n b\nWARC-Target-URI: <http://h/a b>\ncontent-length: 3\n\nabc`
    const { records, damage } = await readAll(Buffer.from(`${text}${text}\r\n`))
    assert.equal(damage, null)
    assert.equal(records.length, 2)
    assert.equal(records[1]!.type, 'response')
    assert.equal(records[1]!.headers.get('x'), 'a b')
    assert.equal(records[1]!.headers.get('WARC-Target-URI'), 'http://h/a b')
  }
})

test('dates in ARC files may lack seconds or have fractions of seconds', async () => {
  const lines = ['199902031405', '19990203140506', '1999020314050678'].map(
    (date) => `http://h/ 192.0.2.1 ${date} text/html 2\nab\n`,
  )
  const text = `filedesc://own.arc 0.0.0.0 19990203140500 text/plain 5\n1 0 x\n${lines.join('')}`
  const { records, damage } = await readAll(Buffer.from(text))
  assert.equal(damage, null)
  assert.deepEqual(
    records.slice(1).map(({ headers }) => headers.get('WARC-Date')),
    ['1999-02-03T14:05:00Z', '1999-02-03T14:05:06Z', '1999-02-03T14:05:06Z'],
  )
})

test('rejects invalid records with their offset', async () => {
  const good = plain[0]!
  for (const bad of [
    'WARC/3.141959\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'WARC/1.0\r\nWARC-Type: response\r\n\r\n',
    'WARC/1.0\r\nContent-Length: 0\r\n\r\n',
    'WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -1\r\n\r\n',
    'WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'WARC/1.0\r\nWARC-Type: response\r\nno colon\r\nContent-Length: 0\r\n\r\n',
    `WARC/1.0\r\nX: ${'y'.repeat(300_000)}\r\n\r\n`,
    'y'.repeat(1_000_000),
  ]) {
    const { records, damage } = await readAll(Buffer.concat([good, Buffer.from(bad)]))
    assert.deepEqual([records.length, damage?.offset], [1, good.length], bad.slice(0, 60))
  }
})

test('reads a single record at its position, plain or compressed', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'erace-warc-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const parts of [plain, plain.map((bytes) => gzipSync(bytes))]) {
    const file = path.join(folder, 'a.warc')
    await writeFile(file, Buffer.concat(parts))
    const offset = parts[0]!.length + parts[1]!.length
    const length = parts[2]!.length
    const record = await readRecordAt(file, { offset, length })
    assert.deepEqual([record.offset, record.headers.get('WARC-Target-URI')], [offset, 'http://h/3'])
    assert.deepEqual(checkRecord(record), { kind: 'ok' })
    for (const wrong of [
      { offset: offset + 1, length: length - 1 },
      { offset, length: length + 1 },
      { offset, length: length - 9 },
    ]) {
      await assert.rejects(readRecordAt(file, wrong), RecordDamage)
    }
    for await (const first of readRecords(file)) {
      assert.equal(first.offset, 0)
      break
    }
  }
})
