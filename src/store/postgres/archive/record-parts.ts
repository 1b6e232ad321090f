import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../../../core/errors.ts'

/** A record as it is stored: in parts, each compressed on its own, so that none need be held whole by the server. */
export type RecordPart = { coding: Coding; bytes: Buffer }

type Coding = typeof PLAIN | typeof ZSTD

const PLAIN = 0
const ZSTD = 1
/** Of the record itself, before it is compressed. */
export const MAX_PART_BYTES = 1 << 20
/** Less is not worth the while. */
const MIN_SAVED = 0.05
const params = { [constants.ZSTD_c_compressionLevel]: 1 }

export function partsOf(pieces: readonly Uint8Array[]): RecordPart[] {
  const record = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  const parts: RecordPart[] = []
  for (let start = 0; start === 0 || start < record.length; start += MAX_PART_BYTES)
    parts.push(partOf(record.subarray(start, start + MAX_PART_BYTES)))
  return parts
}

function partOf(piece: Uint8Array): RecordPart {
  const packed = zstdCompressSync(piece, { params, pledgedSrcSize: piece.length })
  if (packed.length < piece.length * (1 - MIN_SAVED)) return { coding: ZSTD, bytes: packed }
  return { coding: PLAIN, bytes: Buffer.from(piece.buffer, piece.byteOffset, piece.length) }
}

export function readPart({ coding, bytes }: { coding: number; bytes: Buffer }, name: string): Buffer {
  if (coding === PLAIN) return bytes
  if (coding !== ZSTD) throw new AppError('record-damaged', `${name} has the unknown coding ${coding}`)
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_PART_BYTES })
  } catch (error) {
    throw new AppError('record-damaged', `${name} can't be unpacked: ${(error as Error).message}`, { cause: error })
  }
}
