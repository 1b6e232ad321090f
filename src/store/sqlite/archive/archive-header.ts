import { readSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'
import { gzipHeaderLength } from '../../../archive/warc/gzip-header.ts'
import { parseRecordHead } from '../../../archive/warc/record-head.ts'

/** Header records hold a few lines. */
const MAX_HEADER_BYTES = 64 * 1024
const GZIP_TRAILER_BYTES = 8
const RECORD_END_BYTES = 4

/**
 * Bytes of the record that a file begins with and that the catalogue does not list: it describes the file. Where the
 * file begins with something else, whatever stands before `firstRecord` is taken for it.
 */
export function headerLengthOf(fd: number, compressed: boolean, fileLength: number, firstRecord: number): number {
  const bytes = Buffer.alloc(Math.min(MAX_HEADER_BYTES, fileLength))
  const read = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0))
  const length = compressed ? memberLength(read) : recordLength(read)
  return length === null || length > firstRecord ? firstRecord : length
}

function recordLength(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n')
  const parsed = end < 0 ? null : parseRecordHead(bytes.subarray(0, end))
  if (parsed === null || parsed.kind === 'malformed' || parsed.head.type !== 'warcinfo') return null
  return end + 4 + parsed.head.blockLength + RECORD_END_BYTES
}

function memberLength(bytes: Buffer): number | null {
  const start = gzipHeaderLength(bytes)
  if (typeof start === 'string') return null
  try {
    const { buffer, engine } = inflateFirst(bytes.subarray(start))
    return recordLength(buffer) === null ? null : start + engine.bytesWritten + GZIP_TRAILER_BYTES
  } catch {
    return null
  }
}

/** The first deflate stream of what may be followed by others, and how many bytes it took. */
function inflateFirst(bytes: Buffer): { buffer: Buffer; engine: { bytesWritten: number } } {
  const options = { info: true, maxOutputLength: MAX_HEADER_BYTES }
  return inflateRawSync(bytes, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
}
