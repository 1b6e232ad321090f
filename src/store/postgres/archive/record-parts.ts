import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../../../core/errors.ts'
import { createZstdFrames } from '../../../core/work/zstd-frames.ts'
import type { Place } from '../../contracts/object-backend.ts'

/**
 * A record as stored in its rows: either the record itself, in separately compressed parts, so that the server needn't hold it whole; or
 * one part with its location outside of the database.
 */
export type RecordPart = { coding: Coding; bytes: Buffer }

export type Coding = typeof PLAIN | typeof ZSTD | typeof PLACED | typeof PLACED_ZSTD

const PLAIN = 0
const ZSTD = 1
const PLACED = 2
const PLACED_ZSTD = 3
/** Codings of rows that hold the location of a record. */
export const placedCodings = [PLACED, PLACED_ZSTD] as const

/** Maximum part size before compression. */
const MAX_PART_BYTES = 1 << 20
/** Minimum share of the size that compression must save. */
const MIN_SAVED = 0.05
const LEVEL = 1
const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
const frameOf = createZstdFrames({ level: LEVEL })

export function partsOf(pieces: readonly Uint8Array[]): RecordPart[] {
  return split(pieces).map((piece) => smaller(piece, zstdCompressSync(piece, { params, pledgedSrcSize: piece.length })))
}

/** The same, compressed by other threads of the process. */
export async function partsOfAside(pieces: readonly Uint8Array[]): Promise<RecordPart[]> {
  const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (size > MAX_PART_BYTES)
    return Promise.all(split(pieces).map(async (piece) => smaller(piece, await frameOf(piece))))
  const packed = await frameOf(pieces)
  return isWorthwhile(packed.length, size) ? [{ coding: ZSTD, bytes: packed }] : plainParts(pieces)
}

/** Uncompressed parts. */
export function plainParts(pieces: readonly Uint8Array[]): RecordPart[] {
  return split(pieces).map((bytes) => ({ coding: PLAIN, bytes }))
}

function split(pieces: readonly Uint8Array[]): Buffer[] {
  const [first] = pieces
  const record =
    pieces.length === 1 ? Buffer.from(first!.buffer, first!.byteOffset, first!.byteLength) : Buffer.concat(pieces)
  const parts: Buffer[] = []
  for (let start = 0; start === 0 || start < record.length; start += MAX_PART_BYTES)
    parts.push(record.subarray(start, start + MAX_PART_BYTES))
  return parts
}

const isWorthwhile = (packed: number, plain: number): boolean => packed < plain * (1 - MIN_SAVED)

function smaller(piece: Buffer, packed: Buffer): RecordPart {
  return isWorthwhile(packed.length, piece.length) ? { coding: ZSTD, bytes: packed } : { coding: PLAIN, bytes: piece }
}

export function readPart({ coding, bytes }: { coding: number; bytes: Buffer }, name: string): Buffer {
  if (coding === PLAIN) return bytes
  if (coding !== ZSTD) throw new AppError('record-damaged', `${name} has the unknown coding ${coding}`)
  return unpack(bytes, MAX_PART_BYTES, name)
}

const PLACE_BYTES = 24
/** Length of a place's prefix: segment and pack, by which garbage is collected. */
export const PACK_BYTES = 12
/** The common prefix of all places in a pack. */
export function packKey(segment: number, pack: number): Buffer {
  return placedPart({ segment, pack, offset: 0, length: 0 }, false).bytes.subarray(0, PACK_BYTES)
}

export const MAX_PLACED_BYTES = 2 ** 31 - 1

export const isPlaced = (coding: number): boolean => coding === PLACED || coding === PLACED_ZSTD

export function placedPart({ segment, pack, offset, length }: Place, isPacked: boolean): RecordPart {
  const bytes = Buffer.alloc(PLACE_BYTES)
  bytes.writeBigInt64BE(BigInt(segment), 0)
  bytes.writeUInt32BE(pack, 8)
  bytes.writeBigInt64BE(BigInt(offset), PACK_BYTES)
  bytes.writeUInt32BE(length, 20)
  return { coding: isPacked ? PLACED_ZSTD : PLACED, bytes }
}

export function readPlace(bytes: Buffer, name: string): Place {
  if (bytes.length !== PLACE_BYTES) throw new AppError('record-damaged', `${name} has a place of ${bytes.length} bytes`)
  return {
    segment: Number(bytes.readBigInt64BE(0)),
    pack: bytes.readUInt32BE(8),
    offset: Number(bytes.readBigInt64BE(PACK_BYTES)),
    length: bytes.readUInt32BE(20),
  }
}

/** Decodes a record from the bytes stored at its place. */
export function readPlaced(coding: number, stored: Buffer, name: string): Buffer {
  return coding === PLACED_ZSTD ? unpack(stored, MAX_PLACED_BYTES, name) : stored
}

/** Stored size of a record, inside or outside of the database. */
export function storedLength(parts: readonly RecordPart[]): number {
  return parts.reduce((sum, { coding, bytes }) => sum + (isPlaced(coding) ? bytes.readUInt32BE(20) : bytes.length), 0)
}

function unpack(bytes: Buffer, maxOutputLength: number, name: string): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength })
  } catch (error) {
    throw new AppError('record-damaged', `${name} can't be unpacked: ${(error as Error).message}`, { cause: error })
  }
}
