import { checkRecord } from './record-check.ts'
import { parseRecordHead } from './record-head.ts'
import type { ArchiveRecord } from './record-reader.ts'

const ending = '\r\n\r\n'

/** Whether these bytes are exactly one plain record as it was written, line ends and digests included. */
export function isWholeRecord(bytes: Uint8Array): boolean {
  const record = parseWholeRecord(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return record !== null && checkRecord(record).kind === 'ok'
}

/** The record that these bytes are, without a copy of them; null where they are anything else than one plain record as we write it. */
export function parseWholeRecord(bytes: Buffer): ArchiveRecord | null {
  const headEnd = bytes.indexOf(ending)
  if (headEnd < 0) return null
  const parsed = parseRecordHead(bytes.subarray(0, headEnd))
  if (parsed.kind === 'malformed') return null
  const start = headEnd + ending.length
  const end = start + parsed.head.blockLength
  if (end + ending.length !== bytes.length || bytes.subarray(end).toString('latin1') !== ending) return null
  return { ...parsed.head, offset: 0, length: bytes.length, block: bytes.subarray(start, end), passedDigest: null }
}
