import { createReadStream, existsSync, statSync } from 'node:fs'
import { decodeBody } from '../core/decode/decode-body.ts'
import { isAppError } from '../core/errors.ts'
import { bodyDigest } from '../core/fingerprint.ts'
import type { VerifyFault, VerifyProgress, VerifyReport } from '../core/verify-report.ts'
import type { ArchiveFile, CataloguedRecord, ObjectStore } from '../store/objects.ts'
import { parseHttpBlock } from './warc/http-block.ts'
import { checkRecord } from './warc/record-check.ts'
import { type ArchiveRecord, readRecords } from './warc/record-reader.ts'

export type VerifyOptions = {
  objects: ObjectStore
  /** Faults of the store itself: damaged databases, rows that point nowhere. */
  storeFaults(): Promise<VerifyFault[]>
  onProgress(progress: VerifyProgress): void
}

const MAX_FAULTS = 1000
const PROGRESS_EVERY = 500

/** Reads every record of the archive and holds it against its own digest and against its row in the catalogue, both ways. */
export async function verifyArchive({ objects, storeFaults, onProgress }: VerifyOptions): Promise<VerifyReport> {
  const startedAt = performance.now()
  const files = await objects.files()
  const report: VerifyReport = { files: files.length, records: 0, bytes: 0, seconds: 0, faults: [], faultCount: 0 }
  const totalBytes = files.reduce((sum, file) => sum + file.length, 0)
  const tell = (fault: VerifyFault): void => {
    report.faultCount++
    if (report.faults.length < MAX_FAULTS) report.faults.push(fault)
  }
  for (const fault of await storeFaults()) tell(fault)
  for (const file of files) {
    await verifyFile(file, await objects.records(file.id), tell, () => {
      report.records++
      if (report.records % PROGRESS_EVERY === 0)
        onProgress({ records: report.records, bytes: report.bytes, totalBytes })
    })
    report.bytes += file.length
  }
  onProgress({ records: report.records, bytes: report.bytes, totalBytes })
  report.seconds = Math.round(performance.now() - startedAt) / 1000
  return report
}

async function verifyFile(
  file: ArchiveFile,
  rows: readonly CataloguedRecord[],
  tell: (fault: VerifyFault) => void,
  onRecord: () => void,
): Promise<void> {
  const fault = (offset: number | null, url: string | null, message: string): void =>
    tell({ file: file.name, offset, url, message })
  if (!existsSync(file.path))
    return fault(null, null, `the file is missing; ${rows.length} records are lost. Restore it from a backup.`)
  const { size } = statSync(file.path)
  if (size < file.length) fault(null, null, `the file has ${size} bytes, ${file.length} were stored`)
  const waiting = new Map(rows.map((row) => [row.offset, row]))
  try {
    // Behind the stored length there may be what a running crawl is about to store.
    const bytes = createReadStream(file.path, { start: 0, end: Math.max(0, file.length - 1), highWaterMark: 1 << 20 })
    for await (const record of readRecords(bytes as AsyncIterable<Uint8Array>)) {
      onRecord()
      const row = waiting.get(record.offset)
      waiting.delete(record.offset)
      const message = await faultOf(record, row)
      if (message !== null) fault(record.offset, row?.url ?? record.headers.get('WARC-Target-URI'), message)
    }
  } catch (error) {
    if (!isAppError(error)) throw error
    fault(null, null, `${error.message}; what follows in this file could not be read`)
  }
  for (const row of waiting.values()) fault(row.offset, row.url, 'the catalogue names a record here and there is none')
}

async function faultOf(record: ArchiveRecord, row: CataloguedRecord | undefined): Promise<string | null> {
  const check = checkRecord(record)
  if (check.kind === 'damaged') return check.reason
  if (record.type === 'warcinfo') return null
  if (row === undefined) return 'the catalogue knows nothing of this record'
  if (record.length !== null && record.length !== row.length)
    return `the record has ${record.length} bytes, the catalogue says ${row.length}`
  if (record.headers.get('WARC-Target-URI') !== row.url)
    return `the record is of ${record.headers.get('WARC-Target-URI')}`
  if ((record.type === 'revisit') !== row.revisit) return `the record is a ${record.type}, the catalogue says otherwise`
  if (row.revisit || record.block === null) return null
  const http = parseHttpBlock(record.block)
  if (http === null) return 'the record holds no HTTP response'
  const decoded = await decodeBody(http.body, http.headers.get('Content-Encoding') ?? undefined, row.size)
  if (decoded.kind === 'failed') return 'the body can not be decoded'
  return bodyDigest(decoded.body).equals(row.digest) ? null : 'the body does not match the fingerprint in the catalogue'
}
