import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { constants, gunzipSync } from 'node:zlib'
import { isAppError } from '../../core/errors.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { parseRecordHead, type RecordHead } from '../../core/warc/record-head.ts'
import type { ArchiveFile, ObjectStore, RecordPointer, Volume } from '../../store/contracts/objects.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { checkRecord } from '../warc/record-check.ts'
import { holdsHttp, recordContent } from '../warc/record-content.ts'

/**
 * Reads and checks records of versions. Files are compressed and rewritten while they are read, so a failed read is retried with the
 * current row. It is damage only if the same row fails twice.
 */
export type RecordSource = {
  /** The version's own record. */
  record(version: Version): Promise<SourceRecord | NoRecord>
  /** Status line and fields of the response, each followed by a line feed, octets as latin1; '' if it isn't a response. */
  header(version: Version): Promise<{ kind: 'header'; header: string } | NoRecord>
  close(): void
}

export type SourceRecord = WholeRecord & {
  kind: 'record'
  /** As stored in the file: a gzip member if the file is compressed. */
  stored: Buffer
  plain: Buffer
  file: Volume
  offset: number
}

export type NoRecord =
  /** Collected in the meantime, or never stored. */
  { kind: 'absent' } | { kind: 'damaged'; message: string }

export type RecordSourceDeps = {
  versions: Pick<VersionStore, 'version'>
  objects: Pick<ObjectStore, 'volumes' | 'read'>
}

const maxRecordBytes = 2 ** 30
/** Enough for the header of nearly every response. */
const startBytes = 64 * 1024
const maxAttempts = 4

export function createRecordSource({ versions, objects }: RecordSourceDeps): RecordSource {
  const archive = createArchiveBytes(objects)

  async function persist<T>(given: Version, read: (version: Version) => Promise<T>): Promise<T | NoRecord> {
    let version: Version | null = given
    let before = ''
    for (let attempt = 1; version !== null && version.record !== null; attempt++) {
      const place = JSON.stringify(version.record)
      try {
        return await read(version)
      } catch (error) {
        // A store that does not answer says nothing about what it keeps.
        if (isAppError(error) && error.retry === 'later') throw error
        // The first row may be as old as its page; the second is fresh.
        if (attempt === maxAttempts || (attempt > 1 && place === before))
          return { kind: 'damaged', message: messageOf(error) }
      }
      before = place
      archive.forget()
      version = await versions.version(version.id)
    }
    return { kind: 'absent' }
  }

  async function readRecord(version: Version): Promise<SourceRecord> {
    const { bytes: stored, file } = await archive.read(version.record!)
    const plain = isCompressed(file) ? gunzipSync(stored, { maxOutputLength: maxRecordBytes }) : stored
    const { head, block } = parseWholeRecord(plain)
    checkTarget(head.headers.get('WARC-Target-URI'), version)
    return { kind: 'record', head, block, stored, plain, file, offset: version.record!.offset }
  }

  async function readHeader(version: Version): Promise<{ kind: 'header'; header: string }> {
    const { bytes, file, isWhole } = await archive.read(version.record!, startBytes)
    const start = parseRecordStart(isCompressed(file) ? inflateStart(bytes) : bytes)
    if (start !== null) checkTarget(start.head.headers.get('WARC-Target-URI'), version)
    const hasHeader = start !== null && (!holdsHttp(start.head) || headerIsWhole(start.block))
    const record = hasHeader || isWhole ? start : await readRecord(version)
    const content = record === null ? null : recordContent(record.head, record.block)
    if (content === null) throw new Error('the record holds no HTTP response')
    return { kind: 'header', header: content.header.replaceAll('\r\n', '\n') }
  }

  return {
    record: (version) => persist(version, readRecord),
    header: (version) => persist(version, readHeader),
    close: archive.close,
  }
}

function headerIsWhole(block: Buffer): boolean {
  return /\r?\n\r?\n/.test(block.toString('latin1', 0, startBytes))
}

function checkTarget(target: string | null, { url }: Version): void {
  if (target !== withoutAccess(url)) throw new Error(`the record is of ${target}`)
}

/** Inflates as much as possible of a gzip member that may be truncated. */
function inflateStart(bytes: Buffer): Buffer {
  return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxRecordBytes })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export type WholeRecord = { head: RecordHead; block: Buffer }

const ending = Buffer.from('\r\n\r\n')

/** Parses the record that fills the buffer, and checks it against its own digests. Throws for anything else. */
export function parseWholeRecord(bytes: Buffer): WholeRecord {
  const { head, start } = headOf(bytes)
  const end = start + head.blockLength
  if (bytes.length !== end + ending.length || !bytes.subarray(end).equals(ending))
    throw new Error(`the record has ${bytes.length} bytes, its header says ${end + ending.length}`)
  const block = bytes.subarray(start, end)
  const checked = checkRecord({ ...head, block, offset: 0, length: bytes.length, passedDigest: null })
  if (checked.kind === 'damaged') throw new Error(checked.reason)
  return { head, block }
}

/** Head and first bytes of the block of a record that may be truncated; null if the head is incomplete. */
function parseRecordStart(bytes: Buffer): WholeRecord | null {
  if (bytes.indexOf(ending) < 0) return null
  const { head, start } = headOf(bytes)
  return { head, block: bytes.subarray(start, start + head.blockLength) }
}

function headOf(bytes: Buffer): { head: RecordHead; start: number } {
  const end = bytes.indexOf(ending)
  if (end < 0) throw new Error('there is no record')
  const parsed = parseRecordHead(bytes.subarray(0, end))
  if (parsed.kind === 'malformed') throw new Error(parsed.reason)
  return { head: parsed.head, start: end + ending.length }
}

/** Bytes of records as stored in the archive files, compressed or not. Records that are in no file come uncompressed. */
type ArchiveBytes = {
  /** At least `minBytes` from the start of the record, unless it is shorter. Throws if the file is missing or too short. */
  read(pointer: RecordPointer, minBytes?: number): Promise<ReadBytes>
  /** Lists the files again, as they may have been replaced. */
  forget(): void
  close(): void
}

type ReadBytes = { bytes: Buffer; file: Volume; isWhole: boolean }

type OpenFile = { file: ArchiveFile; fd: number }

const maxOpenFiles = 32

function createArchiveBytes(objects: Pick<ObjectStore, 'volumes' | 'read'>): ArchiveBytes {
  let volumes: Map<number, Volume> | null = null
  const opened = new Map<number, OpenFile>()

  function close(): void {
    for (const { fd } of opened.values()) closeSync(fd)
    opened.clear()
  }

  function openFile(file: ArchiveFile): OpenFile {
    if (opened.size >= maxOpenFiles) close()
    const entry = { file, fd: openSync(file.path, 'r') }
    opened.set(file.id, entry)
    return entry
  }

  return {
    async read({ fileId, offset, length }, minBytes = length) {
      volumes ??= new Map((await objects.volumes()).map((each) => [each.id, each]))
      const known = volumes.get(fileId)
      if (known === undefined) throw new Error(`the catalogue names archive file ${fileId}, which it does not know`)
      if (known.kind === 'partition')
        return { bytes: await objects.read({ fileId, offset, length }), file: known, isWhole: true }
      const { file, fd } = opened.get(fileId) ?? openFile(known)
      if (offset + length > fstatSync(fd).size) throw new Error(`${file.name} ends before the record at ${offset} does`)
      const bytes = Buffer.allocUnsafe(Math.min(length, minBytes))
      let done = 0
      while (done < bytes.length) {
        const count = readSync(fd, bytes, done, bytes.length - done, offset + done)
        if (count === 0) throw new Error(`${file.name} ends before the record at ${offset} does`)
        done += count
      }
      return { bytes, file, isWhole: bytes.length === length }
    },
    forget() {
      volumes = null
      close()
    },
    close,
  }
}

export const isCompressed = (volume: Volume): boolean => volume.kind === 'file' && volume.state === 'compressed'
