import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseRecordHead } from '../../../core/warc/record-head.ts'
import type { CompressedSegment } from '../../contracts/object-backend.ts'
import { folderError, PRIVATE_FILE, syncFolder } from './file-writer.ts'
import { type Pair, packPlaces } from './places.ts'

const LEVEL = 6
const MAX_HEAD_BYTES = 64 * 1024
const RECORD_END = '\r\n\r\n'

/**
 * Writes a copy of a closed file with each record as a gzip member. Synchronous, for a background thread. The copy is renamed to its final
 * name once it is complete and on disk. Records are read sequentially; the copy ends at the first incomplete one, and the result says how
 * far it got: the caller knows whether any record after that counts. Concurrent calls write the same bytes.
 */
export async function compressFile(from: string, to: string): Promise<CompressedSegment> {
  const part = `${to}.${process.pid}.part`
  let isDone = false
  try {
    const result = copy(from, part)
    renameSync(part, to)
    isDone = true
    await syncFolder(dirname(to))
    return result
  } catch (error) {
    throw folderError(error, from)
  } finally {
    if (!isDone) rmSync(part, { force: true })
  }
}

function copy(from: string, to: string): CompressedSegment {
  const source = openSync(from, 'r')
  try {
    const target = openSync(to, 'w', PRIVATE_FILE)
    try {
      const { size: length } = fstatSync(source)
      const pairs: Pair[] = []
      let [was, is] = [0, 0]
      for (let record = readRecord(source, was, length); record !== null; record = readRecord(source, was, length)) {
        pairs.push({ was, is })
        const packed = gzipSync(record, { level: LEVEL })
        for (let done = 0; done < packed.length; )
          done += writeSync(target, packed, done, packed.length - done, is + done)
        was += record.length
        is += packed.length
      }
      fsyncSync(target)
      return { places: packPlaces([...pairs, { was, is }]), bytes: is, whole: was, length }
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}

/** The record at an offset; null if there is none or it is incomplete. */
function readRecord(fd: number, offset: number, end: number): Buffer | null {
  const head = readAt(fd, offset, Math.min(MAX_HEAD_BYTES, end - offset))
  const headEnd = head.indexOf(RECORD_END)
  if (headEnd < 0) return null
  const parsed = parseRecordHead(head.subarray(0, headEnd))
  if (parsed.kind === 'malformed') return null
  const length = headEnd + RECORD_END.length + parsed.head.blockLength + RECORD_END.length
  if (offset + length > end) return null
  const record = length <= head.length ? head.subarray(0, length) : readAt(fd, offset, length)
  return record.subarray(-RECORD_END.length).toString('latin1') === RECORD_END ? record : null
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  for (let read = -1; done < length && read !== 0; done += read)
    read = readSync(fd, bytes, done, length - done, offset + done)
  return bytes.subarray(0, done)
}
