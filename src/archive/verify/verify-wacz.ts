import { createHash, type Hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Entry, openPromise, validateFileName, type ZipFile } from 'yauzl'
import { AppError, isAppError } from '../../core/errors.ts'
import type { VerifyFault, VerifyProgress, VerifyReport } from '../../core/reports/verify-report.ts'
import { RecordDamage } from '../../core/warc/record-head.ts'
import { checkRecord } from '../warc/record-check.ts'
import { readRecords } from '../warc/record-reader.ts'

const maxEntries = 100_000
/** Limit of files that are read into memory. */
const maxListBytes = 32 * 1024 * 1024
const maxLineChars = 1024 * 1024
const maxFaults = 1000

type Resource = { path: string; hash: string; bytes: number }
type Faults = { add(file: string, message: string, more?: { offset?: number; url?: string | null }): void }

/**
 * Checks a WACZ file, ours or another's, without unpacking it: every file against the digests, every record against its own, every index
 * line against the place it refers to. Rejects (`file-invalid`) files in another format, or with names that lead outside.
 */
export async function verifyWacz(file: string, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport> {
  const startedAt = performance.now()
  const zip = await openZip(file)
  try {
    const faults: VerifyFault[] = []
    let faultCount = 0
    const add: Faults['add'] = (name, message, { offset = null, url = null } = {}) => {
      if (++faultCount <= maxFaults) faults.push({ file: name, offset, url, message })
    }
    const entries = await entriesOf(zip, file)
    const totalBytes = [...entries.values()].reduce((sum, { compressedSize }) => sum + compressedSize, 0)
    const resources = await readPackage(zip, entries, file, { add })
    const progress = { records: 0, bytes: 0, totalBytes }
    const count = (more: Partial<VerifyProgress>): void => {
      progress.records += more.records ?? 0
      progress.bytes += more.bytes ?? 0
      onProgress(progress)
    }
    for (const [name, entry] of entries) {
      const digest = createHash('sha256')
      const bytes = counted(await open(zip, entry), digest, (length) => count({ bytes: length }))
      const isRead = await readEntry(name, bytes, entries, { add }, () => count({ records: 1 }))
      if (isRead) checkDigest(name, entry, resources, `sha256:${digest.digest('hex')}`, { add })
    }
    for (const path of resources.keys())
      if (!entries.has(path)) add(path, 'datapackage.json names it, and it is missing')
    const seconds = Math.round(performance.now() - startedAt) / 1000
    return { ...progress, files: entries.size, unusedBytes: 0, seconds, faults, faultCount }
  } catch (error) {
    throw isAppError(error) ? error : invalid(file, error)
  } finally {
    zip.close()
  }
}

function invalid(file: string, cause: unknown): AppError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new AppError('file-invalid', `${file} is not a WACZ file that can be read: ${message}`, { cause })
}

async function openZip(file: string): Promise<ZipFile> {
  try {
    return await openPromise(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true })
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall !== undefined) throw new AppError('file-unreadable', `${file} can't be read: ${code}`, { cause: error })
    throw invalid(file, error)
  }
}

/** By name, in the order of the file. The library rejects names that lead out of the archive; we do too, in case it changes. */
async function entriesOf(zip: ZipFile, file: string): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxEntries) throw invalid(file, `it has more than ${maxEntries} files`)
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry
    const fault = validateFileName(fileName)
    if (fault !== null) throw invalid(file, fault)
    if (entries.has(fileName)) throw invalid(file, `it has two files ${fileName.slice(0, 200)}`)
    const isLink = ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000
    if (isLink || !entry.canDecodeFileData()) throw invalid(file, `${fileName.slice(0, 200)} is a link, or encrypted`)
    if (!fileName.endsWith('/')) entries.set(fileName, entry)
  }
  return entries
}

async function readPackage(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  file: string,
  { add }: Faults,
): Promise<Map<string, Resource>> {
  const list = entries.get('datapackage.json')
  if (list === undefined) throw invalid(file, 'there is no datapackage.json')
  const source = await readWhole(zip, list, file)
  const { resources } = parsed(source) as { resources?: unknown }
  if (!Array.isArray(resources)) throw invalid(file, 'datapackage.json has no resources')
  const found = new Map<string, Resource>()
  for (const each of resources as unknown[]) {
    const { path, hash, bytes } = (each ?? {}) as Record<string, unknown>
    if (typeof path !== 'string' || typeof hash !== 'string') throw invalid(file, 'a resource has no path or no hash')
    const fault = validateFileName(path)
    if (fault !== null) throw invalid(file, `datapackage.json: ${fault}`)
    found.set(path, { path, hash, bytes: Number(bytes) })
  }
  const digest = entries.get('datapackage-digest.json')
  if (digest !== undefined) {
    const { hash } = parsed(await readWhole(zip, digest, file)) as { hash?: unknown }
    const actual = `sha256:${createHash('sha256').update(source).digest('hex')}`
    if (hash !== actual) add('datapackage.json', 'it does not match datapackage-digest.json')
  }
  return found
}

function parsed(source: Buffer): object {
  const value: unknown = JSON.parse(source.toString('utf8'))
  return typeof value === 'object' && value !== null ? value : {}
}

async function open(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> {
  return zip.openReadStreamPromise(entry)
}

async function readWhole(zip: ZipFile, entry: Entry, file: string): Promise<Buffer> {
  if (entry.uncompressedSize > maxListBytes)
    throw invalid(file, `${entry.fileName} has ${entry.uncompressedSize} bytes`)
  const parts: Buffer[] = []
  for await (const part of await open(zip, entry)) parts.push(part)
  return Buffer.concat(parts)
}

async function* counted(
  source: AsyncIterable<Buffer>,
  digest: Hash,
  count: (length: number) => void,
): AsyncGenerator<Buffer> {
  for await (const part of source) {
    digest.update(part)
    count(part.length)
    yield part
  }
}

/** Reads a file to its end. Returns false if that fails. */
async function readEntry(
  name: string,
  bytes: AsyncGenerator<Buffer>,
  entries: ReadonlyMap<string, Entry>,
  { add }: Faults,
  onRecord: () => void,
): Promise<boolean> {
  try {
    if (/^archive\/.*\.warc(?:\.gz)?$/.test(name)) await readArchive(name, bytes, { add }, onRecord)
    if (/^indexes\/.*\.cdxj?(?:\.gz)?$/.test(name)) await readIndex(name, bytes, entries, { add })
    for await (const _ of bytes);
    return true
  } catch (error) {
    if (error instanceof RecordDamage) add(name, error.reason, { offset: error.offset })
    else add(name, error instanceof Error ? error.message : String(error))
    return false
  }
}

async function readArchive(name: string, bytes: AsyncIterable<Buffer>, { add }: Faults, onRecord: () => void) {
  for await (const record of readRecords(bytes)) {
    onRecord()
    const checked = checkRecord(record)
    const url = record.headers.get('WARC-Target-URI')
    if (checked.kind === 'damaged') add(name, checked.reason, { offset: record.offset, url })
  }
}

async function readIndex(
  name: string,
  bytes: AsyncIterable<Buffer>,
  entries: ReadonlyMap<string, Entry>,
  { add }: Faults,
): Promise<void> {
  let before = ''
  for await (const line of linesOf(name.endsWith('.gz') ? unzipped(bytes) : bytes)) {
    if (line < before) add(name, `the index is not sorted: ${line.slice(0, 100)}`)
    before = line
    const { filename, offset, length } = parsed(Buffer.from(line.slice(line.indexOf('{')))) as Record<string, unknown>
    const size = entries.get(`archive/${String(filename)}`)?.uncompressedSize
    const end = Number(offset) + Number(length)
    if (size === undefined || !(Number(offset) >= 0 && end <= size))
      add(name, `it names a place that is not there: ${line.slice(0, 200)}`)
  }
}

function unzipped(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip()
  // Its failure is reported to the reader.
  pipeline(bytes, gunzip).catch(() => {})
  return gunzip
}

async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const part of bytes) {
    const lines = (rest + part.toString('latin1')).split('\n')
    rest = lines.pop()!
    if (rest.length > maxLineChars) throw new Error(`a line has more than ${maxLineChars} characters`)
    yield* lines
  }
  if (rest !== '') yield rest
}

function checkDigest(
  name: string,
  { uncompressedSize }: Entry,
  resources: ReadonlyMap<string, Resource>,
  actual: string,
  { add }: Faults,
): void {
  const resource = resources.get(name)
  if (resource === undefined) {
    if (!/^datapackage(?:-digest)?\.json$/.test(name)) add(name, 'datapackage.json does not name it')
  } else if (resource.bytes !== uncompressedSize) add(name, `it has ${uncompressedSize} bytes, not ${resource.bytes}`)
  else if (resource.hash !== actual) add(name, 'it does not match its digest')
}
