import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { parseRecordHead, RecordDamage } from '../../core/warc/record-head.ts'
import { parseHttpBlock, withoutChunks } from './http-block.ts'
import { checkRecord } from './record-check.ts'
import { type ArchiveRecord, readRecordAt, readRecords } from './record-reader.ts'

const folder = process.env.ERACE_CONFORMANCE
if (folder === undefined && process.env.CI) throw new Error('ERACE_CONFORMANCE must name the conformance data in CI')
const skip = folder === undefined && 'ERACE_CONFORMANCE names no folder of conformance data'

type Expected = {
  /** Types of the records in order, abbreviated. */
  types: string
  /** Indexes of records that can be read but don't match their header. */
  faulty?: number[]
  /** Offset where the reader has to stop. */
  damagedAt?: number
}

const expected: Record<string, Expected> = {
  'jwarc/cc.warc.gz': { types: 'resp' },
  'jwarc/gzip_extra_sl.warc.gz': { types: 'warc' },
  'warcio/bad.arc': { types: '', damagedAt: 0 },
  'warcio/example-bad-non-chunked.warc.gz': { types: 'warc warc resp requ revi requ', faulty: [4] },
  'warcio/example-bad.warc.gz.bad': { types: 'warc resp requ revi requ resp' },
  'warcio/example-digest.warc': { types: 'requ requ requ requ', faulty: [0] },
  'warcio/example-iana.org-chunked.warc': { types: 'warc resp requ' },
  'warcio/example-resource.warc.gz': { types: 'warc warc reso' },
  'warcio/example-space-in-target-uri.warc.gz': { types: 'warc reso' },
  // Its line ends were converted after its lengths were written, so the last block is short.
  'warcio/example-space-in-url.arc': { types: 'warc resp', faulty: [1] },
  'warcio/example-trunc.warc': { types: 'warc warc resp', faulty: [2], damagedAt: 2560 },
  'warcio/example-wget-bad-target-uri.warc.gz': { types: 'warc requ resp meta reso reso' },
  'warcio/example-wrong-chunks.warc.gz': { types: 'resp requ', faulty: [0] },
  'warcio/example.arc': { types: 'warc resp' },
  'warcio/example.arc.gz': { types: 'warc resp' },
  'warcio/example.warc': { types: 'warc warc resp requ revi requ' },
  'warcio/example.warc.gz': { types: 'warc warc resp requ revi requ' },
  'warcio/post-test.warc.gz': { types: 'resp requ resp requ resp requ' },
}

function fileOf(name: string): string {
  return path.join(folder!, 'warc', name)
}

async function readAll(file: string) {
  const records: ArchiveRecord[] = []
  try {
    for await (const record of readRecords(file)) records.push(record)
  } catch (error) {
    assert.ok(error instanceof RecordDamage, String(error))
    return { records, damagedAt: error.offset }
  }
  return { records, damagedAt: undefined }
}

test('every archive of the conformance data has an expectation', { skip }, () => {
  const found = ['jwarc', 'warcio'].flatMap((from) =>
    readdirSync(fileOf(from))
      .filter((name) => name.includes('arc.') || name.endsWith('arc'))
      .map((name) => `${from}/${name}`),
  )
  assert.deepEqual(found.sort(), Object.keys(expected).sort())
})

for (const [name, { types, faulty = [], damagedAt }] of Object.entries(expected)) {
  test(`${name} is read or rejected as expected`, { skip }, async () => {
    const result = await readAll(fileOf(name))
    assert.equal(result.records.map((record) => record.type.slice(0, 4)).join(' '), types)
    assert.equal(result.damagedAt, damagedAt)
    const found = result.records.flatMap((record, index) => (checkRecord(record).kind === 'ok' ? [] : [index]))
    assert.deepEqual(found, faulty)
    for (const { offset, length, block } of result.records) {
      if (length !== null) assert.deepEqual((await readRecordAt(fileOf(name), { offset, length })).block, block)
    }
  })
}

test('plain and compressed forms of a file have the same content', { skip }, async () => {
  for (const [plain, compressed] of [
    ['warcio/example.warc', 'warcio/example.warc.gz'],
    ['warcio/example.arc', 'warcio/example.arc.gz'],
  ]) {
    const [one, other] = await Promise.all([readAll(fileOf(plain!)), readAll(fileOf(compressed!))])
    assert.deepEqual(
      one.records.map((record) => record.block),
      other.records.map((record) => record.block),
    )
  }
})

test('target URIs have no brackets and keep their spaces', { skip }, async () => {
  const targets = async (name: string) =>
    (await readAll(fileOf(name))).records.map((record) => record.headers.get('WARC-Target-URI'))
  assert.equal((await targets('warcio/example-space-in-target-uri.warc.gz'))[1], 'file:///example with spaces.png')
  assert.equal((await targets('warcio/example-wget-bad-target-uri.warc.gz'))[1], 'http://example.com/')
  assert.match(
    (await targets('warcio/example-space-in-url.arc'))[1]!,
    /EmailTitle=Examples From The Live Web&IsPopUp=False$/,
  )
})

test('a chunked body is read without chunk framing', { skip }, async () => {
  const { records } = await readAll(fileOf('warcio/example-iana.org-chunked.warc'))
  const body = withoutChunks(parseHttpBlock(records[1]!.block!)!)!
  assert.match(body.toString(), /^<!doctype html>[\s\S]*<\/html>\s*$/)
})

test('parses the record headers of the examples in the standard', { skip }, () => {
  const examples = JSON.parse(readFileSync(fileOf('jwarc/standard-examples.json'), 'utf8')) as Record<string, string>
  for (const [name, text] of Object.entries(examples)) {
    const parsed = parseRecordHead(Buffer.from(text.split('\r\n\r\n')[0]!))
    // One has its Content-Length after the empty line, the other has a version that doesn't exist.
    if (name === 'metadata' || name === 'wacky') assert.equal(parsed.kind, 'malformed', name)
    else
      assert.equal(
        parsed.kind === 'head' && parsed.head.type,
        name === 'continuation1' ? 'response' : name.replace(/\d$/, ''),
      )
  }
})
