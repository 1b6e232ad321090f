import { constants, gunzipSync } from 'node:zlib'
import { isAppError } from '../../core/errors.ts'
import type { ArchiveFile, ObjectStore } from '../../store/contracts/objects.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { parseHttpBlock } from '../warc/http-block.ts'
import { createArchiveBytes } from './archive-bytes.ts'
import { parseRecordStart, parseWholeRecord, type WholeRecord } from './whole-record.ts'

/**
 * Records of versions, checked. Files are compressed and rewritten while they are read: what can't be read is tried again with the
 * row as it is then, and only a row that leads to the same failure twice is damage.
 */
export type RecordSource = {
  /** The version's own record. */
  record(version: Version): Promise<SourceRecord | NoRecord>
  /** Status line and fields of the version's response, a line feed after each, as octets in latin1. */
  header(version: Version): Promise<{ kind: 'header'; header: string } | NoRecord>
  close(): void
}

export type SourceRecord = WholeRecord & {
  kind: 'record'
  /** As it lies in the file: a gzip member where the file is compressed. */
  stored: Buffer
  plain: Buffer
  file: ArchiveFile
  offset: number
}

export type NoRecord =
  /** Collected meanwhile, or there never was one. */
  { kind: 'absent' } | { kind: 'damaged'; message: string }

export type RecordSourceDeps = { versions: Pick<VersionStore, 'version'>; objects: Pick<ObjectStore, 'files' | 'read'> }

const maxRecordBytes = 2 ** 30
/** Holds the header of nearly every response. */
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
        // The first row may be as old as its page; the second is not.
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
    const isCompressed = file.state === 'compressed'
    const plain = isCompressed ? gunzipSync(stored, { maxOutputLength: maxRecordBytes }) : stored
    const { head, block } = parseWholeRecord(plain)
    checkTarget(head.headers.get('WARC-Target-URI'), version)
    return { kind: 'record', head, block, stored, plain, file, offset: version.record!.offset }
  }

  async function readHeader(version: Version): Promise<{ kind: 'header'; header: string }> {
    const { bytes, file, isWhole } = await archive.read(version.record!, startBytes)
    const start = parseRecordStart(file.state === 'compressed' ? inflateStart(bytes) : bytes)
    let block = start?.block ?? null
    if (start !== null) checkTarget(start.head.headers.get('WARC-Target-URI'), version)
    const isCut = block === null || !/\r?\n\r?\n/.test(block.toString('latin1', 0, startBytes))
    if (isCut && !isWhole) block = (await readRecord(version)).block
    const http = block === null ? null : parseHttpBlock(block)
    if (http === null) throw new Error('the record holds no HTTP response')
    const fields = http.headers.entries.map(([name, value]) => `${name}: ${value}\n`)
    return { kind: 'header', header: `${http.statusLine}\n${fields.join('')}` }
  }

  return {
    record: (version) => persist(version, readRecord),
    header: (version) => persist(version, readHeader),
    close: archive.close,
  }
}

function checkTarget(target: string | null, { url }: Version): void {
  if (target !== url) throw new Error(`the record is of ${target}`)
}

/** What can be had of a gzip member that may be cut off. */
function inflateStart(bytes: Buffer): Buffer {
  return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxRecordBytes })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
