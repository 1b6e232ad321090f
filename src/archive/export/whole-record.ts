import { checkRecord } from '../warc/record-check.ts'
import { parseRecordHead, type RecordHead } from '../warc/record-head.ts'

export type WholeRecord = { head: RecordHead; block: Buffer }

const ending = Buffer.from('\r\n\r\n')

/** The record that fills the buffer, held against its own digests. Throws, in words, for anything else. */
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

/** Head and the first bytes of the block, of a record that may be cut off; null where the cut is in the head. */
export function parseRecordStart(bytes: Buffer): WholeRecord | null {
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
