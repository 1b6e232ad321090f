import { type FileHandle, open } from 'node:fs/promises'
import { type AppError, isAppError } from '../../core/errors.ts'
import type { VerifyFault, VerifyProgress, VerifyReport } from '../../core/reports/verify-report.ts'
import type {
  ArchiveFile,
  CataloguedRecord,
  ObjectStore,
  RecordPartition,
  Volume,
} from '../../store/contracts/objects.ts'
import { readAhead } from '../read-ahead.ts'
import { checkArchivedRecord, checkFileHeader, checkRecordBytes, createRecordBytes } from './verify-record.ts'

/**
 * Reads every record in the catalogue and checks it against its own digest and against its row. Each is read at its own offset, so a
 * damaged one doesn't affect the others. Files may be compressed, rewritten and removed in the meantime: before anything in a file
 * counts as a fault, the catalogue is asked whether the file is still the one that was read.
 */
export type VerifyOptions = {
  objects: ObjectStore
  /** Faults of the store itself: damaged databases, dangling rows. */
  storeFaults(): Promise<VerifyFault[]>
  onProgress(progress: VerifyProgress): void
  onDamage?(damage: Damage): void
}

/** Damage that can be given up. `size` is the actual size of the file; null if it is missing. */
export type Damage =
  | { kind: 'record'; versionId: number; offset: number }
  | { kind: 'file'; fileId: number; size: number | null }

const MAX_FAULTS = 1000
const PROGRESS_EVERY = 500
/** Compression and rewriting may each overtake one check; more failures are no longer bad luck. */
const MAX_ATTEMPTS = 5

export async function verifyArchive(options: VerifyOptions): Promise<VerifyReport> {
  const { objects, storeFaults, onProgress, onDamage } = options
  const startedAt = performance.now()
  const report: VerifyReport = { files: 0, records: 0, bytes: 0, unusedBytes: 0, seconds: 0, faults: [], faultCount: 0 }
  const tell = (fault: VerifyFault): void => {
    report.faultCount++
    if (report.faults.length < MAX_FAULTS) report.faults.push(fault)
  }
  for (const fault of await storeFaults()) tell(fault)
  const seen = new Set<number>()
  let totalBytes = 0
  const progress = (records: number): void =>
    onProgress({ records: report.records + records, bytes: report.bytes, totalBytes })
  // The second round is for files that records were moved to during the first.
  for (let round = 0; round < 2; round++) {
    const files = (await objects.volumes()).filter(({ id }) => !seen.has(id))
    totalBytes += files.reduce((sum, { length }) => sum + length, 0)
    for (const file of files) {
      seen.add(file.id)
      const found = await lookAtFile(objects, file, progress)
      if (found === null) continue
      report.files++
      report.records += found.records
      report.bytes += found.file.length
      report.unusedBytes += found.unusedBytes
      for (const fault of found.faults) tell(fault)
      for (const damage of found.damages) onDamage?.(damage)
    }
  }
  progress(0)
  report.seconds = Math.round(performance.now() - startedAt) / 1000
  return report
}

type Findings = { file: Volume; records: number; unusedBytes: number; faults: VerifyFault[]; damages: Damage[] }

/** Null if the catalogue no longer lists the file. */
async function lookAtFile(
  objects: ObjectStore,
  listed: Volume,
  onRecords: (records: number) => void,
): Promise<Findings | null> {
  if (listed.kind === 'partition') return verifyPartition(objects, listed, onRecords)
  const current = async () =>
    (await objects.volumes()).find((each) => each.kind === 'file' && each.id === listed.id) as ArchiveFile | undefined
  let file: ArchiveFile = listed
  for (let attempt = 1; ; attempt++) {
    const rows = await recordsOf(objects, file.id)
    if (attempt > 1) file = (await current()) ?? file
    const found = Array.isArray(rows) ? await verifyFile(file, rows, onRecords) : unlisted(file, rows.message)
    if (found.faults.length === 0) return found
    const now = await current()
    if (now === undefined) return null
    const isSame = now.name === file.name && now.state === file.state && now.length === file.length
    if (isSame || attempt === MAX_ATTEMPTS) return found
  }
}

/** An error if the catalogue is damaged where it lists them, or if the file has just been removed. */
async function recordsOf(objects: ObjectStore, id: number): Promise<CataloguedRecord[] | AppError> {
  try {
    return await objects.records(id)
  } catch (error) {
    if (isAppError(error, 'store-damaged')) return error
    throw error
  }
}

function unlisted(file: ArchiveFile, why: string): Findings {
  const message = `its records can't be checked: ${why}`
  const fault = { file: file.name, offset: null, url: null, message }
  return { file, records: 0, unusedBytes: 0, faults: [fault], damages: [] }
}

async function verifyFile(
  file: ArchiveFile,
  rows: readonly CataloguedRecord[],
  onRecords: (records: number) => void,
): Promise<Findings> {
  const found: Findings = { file, records: 0, unusedBytes: 0, faults: [], damages: [] }
  const tell = (offset: number | null, url: string | null, message: string): void => {
    found.faults.push({ file: file.name, offset, url, message })
  }
  let handle: FileHandle
  try {
    handle = await open(file.path, 'r')
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const what = isMissing ? 'is missing' : `can't be read (${(error as Error).message})`
    tell(null, null, `the file ${what}; ${rows.length} records are lost. Restore it from a backup.`)
    if (isMissing) found.damages.push({ kind: 'file', fileId: file.id, size: null })
    return found
  }
  try {
    const { size } = await handle.stat()
    if (size < file.length) {
      tell(null, null, `the file has ${size} bytes instead of ${file.length}`)
      found.damages.push({ kind: 'file', fileId: file.id, size })
    }
    const first = rows.find(({ offset }) => offset >= 0)
    const header = await checkFileHeader(handle, Math.min(size, first?.offset ?? file.length))
    if (header.fault !== null) tell(0, null, `the file's header record: ${header.fault}`)
    const bytes = createRecordBytes(handle)
    let end = 0
    found.unusedBytes = file.length - header.length
    for (const row of rows) {
      const fault = misplaced(row, end, file) ?? (await checkArchivedRecord(bytes, row))
      if (fault === null) end = row.offset + row.length
      else {
        // A row that is wrong says nothing about the records after it.
        tell(row.offset, row.url, fault)
        found.damages.push({ kind: 'record', versionId: row.versionId, offset: row.offset })
      }
      found.unusedBytes -= Math.max(0, row.length)
      if (++found.records % PROGRESS_EVERY === 0) onRecords(found.records)
    }
    found.unusedBytes = Math.max(0, found.unusedBytes)
    return found
  } finally {
    await handle.close()
  }
}

/**
 * Checks records that are stored individually, not in a file. They may be collected and restored in the meantime: a fault counts only
 * if the catalogue still refers to that very record.
 */
async function verifyPartition(
  objects: ObjectStore,
  file: RecordPartition,
  onRecords: (records: number) => void,
): Promise<Findings> {
  const rows = await objects.records(file.id)
  const suspects: { row: CataloguedRecord; fault: string }[] = []
  let bytes = 0
  let looked = 0
  const check = (row: CataloguedRecord): Promise<string | null> => checkRecordBytes(() => objects.read(row), row)
  for await (const [row, fault] of readAhead(rows, check, { weigh: ({ length }) => length })) {
    bytes += row.length
    if (fault !== null) suspects.push({ row, fault })
    if (++looked % PROGRESS_EVERY === 0) onRecords(looked)
  }
  const found: Findings = {
    file: { ...file, length: bytes },
    records: rows.length,
    unusedBytes: 0,
    faults: [],
    damages: [],
  }
  if (suspects.length === 0) return found
  const now = new Map((await objects.records(file.id)).map(({ versionId, offset }) => [versionId, offset]))
  for (const { row, fault } of suspects) {
    const { versionId, offset, url } = row
    if (now.get(versionId) !== offset) continue
    found.faults.push({ file: file.name, offset, url, message: fault })
    found.damages.push({ kind: 'record', versionId, offset })
  }
  return found
}

function misplaced({ offset, length }: CataloguedRecord, end: number, file: ArchiveFile): string | null {
  if (offset < 0 || length <= 0) return `the catalogue says that the record has ${length} bytes at ${offset}`
  if (offset < end) return 'the record overlaps the previous one'
  return offset + length > file.length ? 'the record is beyond the end of the file' : null
}
