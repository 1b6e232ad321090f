import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import {
  type ParsedHead,
  parseRecordHead,
  RecordDamage,
  type RecordHead,
  WarcHeaders,
} from '../../core/warc/record-head.ts'
import { archivePieces } from './archive-pieces.ts'
import { parseDigest } from './digest.ts'
import { createPieceCursor, type PieceCursor, type Place } from './piece-cursor.ts'

/**
 * Records of WARC 0.17 to 1.1 and of ARC 1, plain or gzip. The reader tolerates common, harmless writer errors: missing line ends after
 * a record, several records in one gzip member, one record in several. Anything else ends with a `RecordDamage` that says where; the
 * records before it have been yielded.
 */
export type ArchiveRecord = RecordHead & {
  /** File offset of the record, or of the gzip member that contains its start. */
  offset: number
  /**
   * Bytes in the file up to the next record; null if it shares its gzip member and can't be read alone. A compressed record with a
   * length has passed the checksum of its member; for one without, the checksum is yet to come.
   */
  length: number | null
  /** Null if the block was skipped because it exceeds the limit. */
  block: Buffer | null
  /** Digest of a skipped block, in hex, with the algorithm of its block digest. */
  passedDigest: string | null
}

export type ReadOptions = {
  maxBlockBytes?: number
  maxHeadBytes?: number
}

const defaultMaxBlockBytes = 256 * 1024 * 1024
const defaultMaxHeadBytes = 256 * 1024
/** Line ends are sometimes missing and sometimes doubled; up to this many are not damage. */
const maxStrayLineEnds = 4096
const firstByteOfWarc = 0x57

type Format = 'warc' | 'arc'

export async function* readRecords(
  source: AsyncIterable<Uint8Array> | string,
  options: ReadOptions = {},
): AsyncGenerator<ArchiveRecord> {
  const stream = typeof source === 'string' ? createReadStream(source, { highWaterMark: 1024 * 1024 }) : source
  // Every ARC file starts with its own description: `filedesc://`.
  yield* recordsIn(stream as AsyncIterable<Uint8Array>, options, (firstByte) => (firstByte === 0x66 ? 'arc' : 'warc'))
}

async function* recordsIn(
  source: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  formatOf: (firstByte: number) => Format,
): AsyncGenerator<ArchiveRecord> {
  const pieces = archivePieces(source)
  const cursor = createPieceCursor(pieces)
  let format: Format | null = null
  try {
    for (;;) {
      const place = await startOfRecord(cursor)
      const firstByte = await cursor.ahead()
      if (place === null || firstByte === null) return
      format ??= formatOf(firstByte)
      yield await readRecord(cursor, place, format, options)
    }
  } finally {
    // A caller that stops early must not leave the file open.
    await pieces.return(undefined)
  }
}

/** A member may start with line ends of the previous record; the record still counts as starting with the member. */
async function startOfRecord(cursor: PieceCursor): Promise<Place | null> {
  const before = await cursor.place()
  await cursor.skipLineEnds(maxStrayLineEnds)
  const after = await cursor.place()
  return after === null || after.offset !== before?.offset ? after : before
}

async function readRecord(
  cursor: PieceCursor,
  place: Place,
  format: Format,
  { maxBlockBytes = defaultMaxBlockBytes, maxHeadBytes = defaultMaxHeadBytes }: ReadOptions,
): Promise<ArchiveRecord> {
  const head = await readHead(cursor, place, format, maxHeadBytes)
  const { block, passedDigest } = await readBlock(cursor, place, head, maxBlockBytes)
  await cursor.skipLineEnds(maxStrayLineEnds)
  const end = await cursor.end()
  // A damaged member may contain what looks like a record; only another record after it proves that the member is shared.
  if (end === null && !place.inside && format === 'warc' && (await cursor.ahead()) !== firstByteOfWarc) {
    throw new RecordDamage(place.offset, 'the gzip member goes on after the record')
  }
  const length = end === null || place.inside ? null : end - place.offset
  return { ...head, offset: place.offset, length, block, passedDigest }
}

async function readHead(cursor: PieceCursor, { offset }: Place, format: Format, max: number): Promise<RecordHead> {
  const bytes = format === 'arc' ? await cursor.line(max) : await cursor.untilEmptyLine(max)
  if (bytes === 'too-long') throw new RecordDamage(offset, `the header has more than ${max} bytes or is none`)
  if (bytes === null) throw new RecordDamage(offset, 'the header is cut off')
  const parsed: ParsedHead = format === 'arc' ? parseArcHead(bytes) : parseRecordHead(bytes)
  if (parsed.kind === 'malformed') throw new RecordDamage(offset, parsed.reason)
  return parsed.head
}

async function readBlock(cursor: PieceCursor, { offset }: Place, head: RecordHead, maxBytes: number) {
  const kept: Buffer[] = []
  const keep = head.blockLength <= maxBytes
  const running = keep ? null : runningDigest(head)
  let length = 0
  for await (const bytes of cursor.bytes(head.blockLength)) {
    length += bytes.length
    if (keep) kept.push(bytes)
    else running?.update(bytes)
  }
  // ARC has no other sign of damage, and lengths off by a few bytes were common: left to the check of the record.
  if (length < head.blockLength && head.version !== 'ARC/1') {
    throw new RecordDamage(offset, `the block is cut off: ${length} of ${head.blockLength} bytes`)
  }
  if (!keep) return { block: null, passedDigest: running?.digest('hex') ?? null }
  return { block: kept.length === 1 ? kept[0]! : Buffer.concat(kept), passedDigest: null }
}

function runningDigest(head: RecordHead): Hash | null {
  const digest = parseDigest(head.headers.get('WARC-Block-Digest') ?? '')
  return digest === null || digest === 'malformed' ? null : createHash(digest.algorithm)
}

export type RecordPlace = { offset: number; length: number }

/** Reads one record at a known place, which must contain exactly one record. */
export async function readRecordAt(
  file: string | FileHandle,
  place: RecordPlace,
  options: ReadOptions = {},
): Promise<ArchiveRecord> {
  const handle = typeof file === 'string' ? await open(file, 'r') : file
  try {
    const { maxBlockBytes = defaultMaxBlockBytes, maxHeadBytes = defaultMaxHeadBytes } = options
    if (place.length > maxBlockBytes + maxHeadBytes)
      throw new RecordDamage(place.offset, 'the record is beyond the limit')
    const bytes = Buffer.allocUnsafe(place.length)
    const { bytesRead } = await handle.read(bytes, 0, place.length, place.offset)
    if (bytesRead < place.length) throw new RecordDamage(place.offset, 'the file ends before the record does')
    return await onlyRecord(bytes, place.offset, options)
  } finally {
    if (typeof file === 'string') await handle.close()
  }
}

async function onlyRecord(bytes: Buffer, offset: number, options: ReadOptions): Promise<ArchiveRecord> {
  try {
    for await (const record of recordsIn(oneChunk(bytes), options, startOfLoneRecord)) {
      if (record.length !== bytes.length)
        throw new RecordDamage(0, `the record has ${record.length} bytes, not ${bytes.length}`)
      return { ...record, offset }
    }
  } catch (error) {
    if (error instanceof RecordDamage) throw new RecordDamage(offset + error.offset, error.reason, error.cause)
    throw error
  }
  throw new RecordDamage(offset, 'there is no record')
}

function startOfLoneRecord(firstByte: number): Format {
  return firstByte === firstByteOfWarc ? 'warc' : 'arc'
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/**
 * ARC 1, the predecessor of WARC: one line `URL IP date type length`, then the block. Its fields are returned under their WARC
 * names. Old files have URLs with spaces, so the line is parsed from its end, and dates without seconds or with fractions of them.
 */
function parseArcHead(line: Buffer): ParsedHead {
  const fields = /^(\S.*) ([\d.:a-f]+) (\d{12})(\d\d)?\d* (\S+) (-?\w+)$/i.exec(line.toString('utf8'))
  if (fields === null) return { kind: 'malformed', reason: 'not an ARC record line' }
  const [, uri, address, minute, second = '00', contentType, length] = fields as unknown as string[]
  if (!/^\d{1,15}$/.test(length!)) return { kind: 'malformed', reason: `invalid length ${length}` }
  const type = uri!.startsWith('filedesc://') ? 'warcinfo' : uri!.startsWith('http') ? 'response' : 'resource'
  const headers = new WarcHeaders([
    ['WARC-Type', type],
    ['WARC-Target-URI', uri!],
    ['WARC-Date', minute!.replace(/^(....)(..)(..)(..)(..)$/, `$1-$2-$3T$4:$5:${second}Z`)],
    ['WARC-IP-Address', address!],
    ['Content-Type', type === 'response' ? 'application/http; msgtype=response' : contentType!],
    ['WARC-Identified-Payload-Type', contentType!],
    ['Content-Length', length!],
  ])
  return { kind: 'head', head: { version: 'ARC/1', type, headers, blockLength: Number(length) } }
}
