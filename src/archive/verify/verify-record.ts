import type { FileHandle } from 'node:fs/promises'
import { isAppError } from '../../core/errors.ts'
import { decodeBody } from '../../core/http/decode-body.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { bodyDigest } from '../../core/url/fingerprint.ts'
import type { CataloguedRecord } from '../../store/contracts/objects.ts'
import { checkRecord, parseWholeRecord } from '../warc/record-check.ts'
import { recordContent } from '../warc/record-content.ts'
import { type ArchiveRecord, readRecordAt, readRecords } from '../warc/record-reader.ts'

/** Larger records are read piece by piece. */
const MAX_READ_BYTES = 64 * 1024 * 1024
const WINDOW_BYTES = 1024 * 1024
const PIECE_BYTES = 64 * 1024
/** More than any header record has. */
const MAX_HEADER_BYTES = 1024 * 1024

export type RecordBytes = {
  handle: FileHandle
  /** What is there of those bytes of the file, until the next call. */
  read(offset: number, length: number): Promise<Buffer>
}

/** Reads ahead: records come in the order in which they lie in the file. */
export function createRecordBytes(handle: FileHandle): RecordBytes {
  let window = Buffer.allocUnsafeSlow(WINDOW_BYTES)
  let start = 0
  let end = 0
  return {
    handle,
    async read(offset, length) {
      if (offset < start || offset + length > end) {
        if (length > window.length) window = Buffer.allocUnsafeSlow(length)
        start = offset
        end = offset
        for (let read = -1; read !== 0 && end - start < window.length; end += read)
          read = (await handle.read(window, end - start, window.length - (end - start), end)).bytesRead
      }
      return window.subarray(offset - start, Math.min(offset + length, end) - start)
    },
  }
}

/** What is wrong with the record that a row names; null when nothing is. */
export async function checkArchivedRecord(bytes: RecordBytes, row: CataloguedRecord): Promise<string | null> {
  const { offset, length } = row
  try {
    if (length > MAX_READ_BYTES) return await faultOf(await readLarge(bytes.handle, row), row)
    // What is not plain and whole is read again by what can say where and why.
    const record = parseWholeRecord(await bytes.read(offset, length)) ?? (await readRecordAt(bytes.handle, row))
    return await faultOf(record, row)
  } catch (error) {
    if (isAppError(error, 'record-damaged')) return error.message
    throw error
  }
}

/** The same of a record that lies by itself. */
export async function checkRecordBytes(read: () => Promise<Buffer>, row: CataloguedRecord): Promise<string | null> {
  try {
    const record = parseWholeRecord(await read())
    if (record === null) return 'the stored bytes are not one complete record'
    // How long the store's own form of it is says nothing here.
    return await faultOf({ ...record, length: null }, row)
  } catch (error) {
    if (isAppError(error, 'record-damaged')) return error.message
    throw error
  }
}

/** What is wrong with the record that the file opens with, and how long it is. Behind it there may be what is not needed any more. */
export async function checkFileHeader(
  handle: FileHandle,
  end: number,
): Promise<{ fault: string | null; length: number }> {
  if (end === 0) return { fault: null, length: 0 }
  try {
    const record = await firstRecord(handle, 0, Math.min(end, MAX_HEADER_BYTES))
    if (record === null) return { fault: 'missing', length: 0 }
    const check = checkRecord(record)
    const fault =
      check.kind === 'damaged' ? check.reason : record.type === 'warcinfo' ? null : `unexpected type ${record.type}`
    return { fault, length: record.length ?? 0 }
  } catch (error) {
    if (isAppError(error, 'record-damaged')) return { fault: error.message, length: 0 }
    throw error
  }
}

async function readLarge(handle: FileHandle, { offset, length }: CataloguedRecord): Promise<ArchiveRecord> {
  const record = await firstRecord(handle, offset, length)
  // Nothing at all: what reads one record says so in its own words.
  return record === null ? readRecordAt(handle, { offset, length: 0 }) : record
}

async function firstRecord(handle: FileHandle, offset: number, length: number): Promise<ArchiveRecord | null> {
  for await (const record of readRecords(piecesOf(handle, offset, length))) return record
  return null
}

/** No stream of Node's, since those close the file when the reader stops early. */
async function* piecesOf(handle: FileHandle, offset: number, length: number): AsyncGenerator<Buffer> {
  for (let at = offset, end = offset + length; at < end; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at)), {
      position: at,
    })
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function faultOf(record: ArchiveRecord, row: CataloguedRecord): Promise<string | null> {
  const check = checkRecord(record)
  if (check.kind === 'damaged') return check.reason
  if (record.length !== null && record.length !== row.length)
    return `the record has ${record.length} bytes, the catalogue says ${row.length}`
  if (record.headers.get('WARC-Target-URI') !== withoutAccess(row.url))
    return `the record belongs to ${record.headers.get('WARC-Target-URI')}`
  if ((record.type === 'revisit') !== row.revisit) return `the record type ${record.type} does not match the catalogue`
  // Of a page that is gone there is no more than the header that said so.
  if (row.revisit || record.block === null || row.digest.length === 0) return null
  const content = recordContent(record, record.block)
  if (content === null) return 'the record contains no HTTP response'
  const decoded = await decodeBody(content.body, content.encodings, Math.max(1, row.size))
  if (decoded.kind === 'failed' && row.size > 0) return "the body can't be decoded"
  const body = decoded.kind === 'failed' ? Buffer.alloc(0) : decoded.body
  return bodyDigest(body).equals(row.digest) ? null : 'the body does not match the digest in the catalogue'
}
