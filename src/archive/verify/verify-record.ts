import type { FileHandle } from 'node:fs/promises'
import { isAppError } from '../../core/errors.ts'
import { decodeBody } from '../../core/http/decode-body.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { bodyDigest } from '../../core/url/fingerprint.ts'
import type { CataloguedRecord } from '../../store/contracts/objects.ts'
import { checkRecord, parseWholeRecord } from '../warc/record-check.ts'
import { recordContent } from '../warc/record-content.ts'
import { type ArchiveRecord, readRecordAt, readRecords } from '../warc/record-reader.ts'

/** Larger records are streamed. */
const MAX_READ_BYTES = 64 * 1024 * 1024
const WINDOW_BYTES = 1024 * 1024
const PIECE_BYTES = 64 * 1024
/** More than any header record takes. */
const MAX_HEADER_BYTES = 1024 * 1024

export type RecordBytes = {
  handle: FileHandle
  /** Those bytes of the file, as far as they exist. Valid until the next call. */
  read(offset: number, length: number): Promise<Buffer>
}

/** Reads ahead, as records are checked in file order. */
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

/** Returns the fault of the record that a row refers to; null if it has none. */
export async function checkArchivedRecord(bytes: RecordBytes, row: CataloguedRecord): Promise<string | null> {
  const { offset, length } = row
  try {
    if (length > MAX_READ_BYTES) return await faultOf(await readLarge(bytes.handle, row), row)
    // Anything but one complete uncompressed record is read again by the full reader, which reports where and why.
    const record = parseWholeRecord(await bytes.read(offset, length)) ?? (await readRecordAt(bytes.handle, row))
    return await faultOf(record, row)
  } catch (error) {
    if (isAppError(error, 'record-damaged')) return error.message
    throw error
  }
}

/** The same for a record that is not in a file. */
export async function checkRecordBytes(read: () => Promise<Buffer>, row: CataloguedRecord): Promise<string | null> {
  try {
    const record = parseWholeRecord(await read())
    if (record === null) return 'the stored bytes are not one complete record'
    // The length of the stored form doesn't matter here.
    return await faultOf({ ...record, length: null }, row)
  } catch (error) {
    if (isAppError(error, 'record-damaged')) return error.message
    throw error
  }
}

/** Checks the first record of a file, and returns its length. Bytes that are no longer used may follow it. */
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
  // There is nothing at all: let the reader of single records report it.
  return record === null ? readRecordAt(handle, { offset, length: 0 }) : record
}

async function firstRecord(handle: FileHandle, offset: number, length: number): Promise<ArchiveRecord | null> {
  for await (const record of readRecords(piecesOf(handle, offset, length))) return record
  return null
}

/** Not a Node stream, as that would close the file when the reader stops early. */
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
  // A page that is gone has only the header that said so.
  if (row.revisit || record.block === null || row.digest.length === 0) return null
  const content = recordContent(record, record.block)
  if (content === null) return 'the record contains no HTTP response'
  // With two encodings, the intermediate bytes may be more than those of the body.
  const maxBytes = Math.max(row.size, 2 * content.body.length + 64 * 1024)
  const decoded = await decodeBody(content.body, content.encodings, maxBytes)
  if (decoded.kind === 'failed' && row.size > 0) return "the body can't be decoded"
  const body = decoded.kind === 'failed' ? Buffer.alloc(0) : decoded.body.subarray(0, row.size)
  return bodyDigest(body).equals(row.digest) ? null : 'the body does not match the digest in the catalogue'
}
