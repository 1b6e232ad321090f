import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { AppError } from '../../core/errors.ts'
import { bodyDigest, digestText } from '../../core/url/fingerprint.ts'
import type { ArchiveFile, CataloguedRecord, ObjectStore } from '../../store/contracts/objects.ts'
import { resourceRecord, responseRecord, warcinfoRecord } from '../warc/record-writer.ts'
import { type Damage, verifyArchive } from './verify.ts'

/** An archive file with its rows, in its own folder. */
type Archive = { file: ArchiveFile; rows: CataloguedRecord[] }

function writeArchive(folder: string, id: number, pages: number): Archive {
  const name = `file-${id}.warc`
  const parts: Buffer[] = [warcinfoRecord({ filename: name, software: 'test', date: 0 })]
  const rows: CataloguedRecord[] = []
  let length = parts[0]!.length
  for (let n = 0; n < pages; n++) {
    const body = Buffer.from(`body ${id} ${n} `.repeat(50))
    const url = `http://a.example/${id}/${n}`
    const payloadDigest = digestText(bodyDigest(body))
    const common = { uri: url, date: 0, address: null, body, payloadDigest, truncated: null }
    const record =
      n % 2 === 0
        ? responseRecord({ ...common, statusLine: 'HTTP/1.1 200 OK', rawHeaders: ['Content-Type', 'text/plain'] })
        : resourceRecord({ ...common, contentType: 'text/plain', refers: null })
    const digest = bodyDigest(body)
    rows.push({
      fileId: id,
      versionId: id * 100 + n,
      offset: length,
      length: record.length,
      url,
      digest,
      size: body.length,
      revisit: false,
    })
    parts.push(...record.parts)
    length += record.length
  }
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat(parts))
  return { file: { kind: 'file', id, name, path, state: 'closed', length }, rows }
}

function compress({ file, rows }: Archive): Archive {
  const bytes = readFileSync(file.path)
  const members = [
    bytes.subarray(0, rows[0]!.offset),
    ...rows.map((row) => bytes.subarray(row.offset, row.offset + row.length)),
  ].map((part) => gzipSync(part))
  let offset = members[0]!.length
  const moved = rows.map((row, n) => {
    const length = members[n + 1]!.length
    offset += length
    return { ...row, offset: offset - length, length }
  })
  const path = `${file.path}.gz`
  writeFileSync(path, Buffer.concat(members))
  rmSync(file.path)
  return { file: { ...file, name: `${file.name}.gz`, path, state: 'compressed', length: offset }, rows: moved }
}

const storeOf = (archives: () => Archive[], onRecords: (id: number) => void = () => {}): ObjectStore => ({
  read: () => Promise.reject(new Error('not to be used')),
  volumes: async () => archives().map(({ file }) => file),
  async records(id) {
    const { rows } = archives().find(({ file }) => file.id === id)!
    onRecords(id)
    return rows
  },
})

async function look(objects: ObjectStore) {
  const damages: Damage[] = []
  const report = await verifyArchive({
    objects,
    storeFaults: async () => [],
    onProgress() {},
    onDamage: (damage) => damages.push(damage),
  })
  return { report, damages }
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-verify-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('verify', () => {
  test('intact files, plain or compressed, have no errors', () =>
    withFolder(async (folder) => {
      const archives = [writeArchive(folder, 1, 5), compress(writeArchive(folder, 2, 4))]
      const { report, damages } = await look(storeOf(() => archives))
      assert.deepEqual([report.faultCount, report.files, report.records, report.unusedBytes], [0, 2, 9, 0])
      assert.deepEqual(damages, [])
    }))

  test('each damaged record is reported, and those around it are still read', () =>
    withFolder(async (folder) => {
      for (const archive of [writeArchive(folder, 1, 9), compress(writeArchive(folder, 2, 9))]) {
        const bytes = readFileSync(archive.file.path)
        for (const n of [2, 3, 7]) bytes.fill(0, archive.rows[n]!.offset + 10, archive.rows[n]!.offset + 60)
        writeFileSync(archive.file.path, bytes)
        const { report, damages } = await look(storeOf(() => [archive]))
        assert.deepEqual([report.records, report.faultCount], [9, 3])
        assert.deepEqual(
          report.faults.map(({ url }) => url),
          [2, 3, 7].map((n) => archive.rows[n]!.url),
        )
        assert.deepEqual(
          damages,
          [2, 3, 7].map((n) => ({
            kind: 'record',
            versionId: archive.rows[n]!.versionId,
            offset: archive.rows[n]!.offset,
          })),
        )
      }
    }))

  test('a short file, a missing file and a damaged header are reported, and the rest is read', () =>
    withFolder(async (folder) => {
      const archives = [1, 2, 3, 4].map((id) => writeArchive(folder, id, 4))
      const [short, missing, headless] = archives
      truncateSync(short!.file.path, short!.rows[3]!.offset + 5)
      rmSync(missing!.file.path)
      const bytes = readFileSync(headless!.file.path)
      bytes.fill(0, 0, 40)
      writeFileSync(headless!.file.path, bytes)
      const { report, damages } = await look(storeOf(() => archives))
      assert.deepEqual(damages, [
        { kind: 'file', fileId: 1, size: short!.rows[3]!.offset + 5 },
        { kind: 'record', versionId: 103, offset: short!.rows[3]!.offset },
        { kind: 'file', fileId: 2, size: null },
      ])
      assert.equal(report.faultCount, 4)
      assert.match(report.faults[2]!.message, /is missing; 4 records are lost/)
      assert.match(report.faults[3]!.message, /^the file's header record/)
      assert.equal(report.records, 12)
    }))

  test('rows that contradict their record are reported', () =>
    withFolder(async (folder) => {
      const { file, rows } = writeArchive(folder, 1, 6)
      rows[0]!.url = 'http://b.example/'
      rows[1]!.digest = Buffer.alloc(32)
      rows[2]!.revisit = true
      rows[3]!.length -= 10
      rows[5]!.offset += 10_000
      const { report } = await look(storeOf(() => [{ file, rows }]))
      const messages = [
        /belongs to http:\/\/a/,
        /does not match the digest/,
        /type response does not match/,
        /record/,
        /beyond the end of the file/,
      ]
      assert.equal(report.faults.length, messages.length)
      for (const [at, { message }] of report.faults.entries()) assert.match(message, messages[at]!)
    }))

  test('impossible places and a list of records that is damaged itself are reported, and the rest is read', () =>
    withFolder(async (folder) => {
      const archives = [writeArchive(folder, 1, 4), writeArchive(folder, 2, 4)]
      const { rows } = archives[0]!
      rows[0]!.length *= 1000
      rows[1]!.length = -5
      rows[3]!.offset = -5
      rows.sort((a, b) => a.offset - b.offset)
      const objects = storeOf(
        () => archives,
        (id) => {
          if (id === 2) throw new AppError('store-damaged', 'catalog.db: database disk image is malformed')
        },
      )
      const { report, damages } = await look(objects)
      assert.deepEqual(
        report.faults.map(({ message }) => message),
        [
          `the catalogue says that the record has ${rows[0]!.length} bytes at -5`,
          'the record is beyond the end of the file',
          `the catalogue says that the record has -5 bytes at ${rows[2]!.offset}`,
          "its records can't be checked: catalog.db: database disk image is malformed",
        ],
      )
      assert.deepEqual([report.files, report.records, damages.length], [2, 4, 3])
    }))

  test('unused bytes are counted, but are not an error', () =>
    withFolder(async (folder) => {
      const { file, rows } = writeArchive(folder, 1, 6)
      const bytes = readFileSync(file.path)
      bytes.fill(0, rows[2]!.offset, rows[2]!.offset + 100)
      writeFileSync(file.path, bytes)
      const { report } = await look(storeOf(() => [{ file, rows: rows.toSpliced(2, 1) }]))
      assert.deepEqual([report.faultCount, report.unusedBytes], [0, rows[2]!.length])
    }))

  test('a file that is compressed during the check is checked again', () =>
    withFolder(async (folder) => {
      let archive = writeArchive(folder, 1, 5)
      let calls = 0
      const objects = storeOf(
        () => [archive],
        () => {
          if (++calls === 1) archive = compress(archive)
        },
      )
      const { report, damages } = await look(objects)
      assert.deepEqual([report.faultCount, report.records, damages.length, calls], [0, 5, 0, 2])
    }))

  test('a file that is rewritten into another during the check is found there', () =>
    withFolder(async (folder) => {
      let archive = writeArchive(folder, 1, 5)
      let calls = 0
      const objects = storeOf(
        () => [archive],
        (id) => {
          if (++calls > 1) return
          const file = { ...archive.file, id: id + 1, name: 'new.warc', path: join(folder, 'new.warc') }
          renameSync(archive.file.path, file.path)
          archive = { file, rows: archive.rows }
        },
      )
      const { report } = await look(objects)
      assert.deepEqual([report.faultCount, report.files, report.records], [0, 1, 5])
    }))
})
