import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { gzipHeaderLength } from '../../core/warc/gzip-header.ts'
import { RecordDamage } from '../../core/warc/record-head.ts'

/**
 * The content of an archive file, plain or gzip, in pieces with their origin. Each gzip member ends with an empty piece, so that a
 * reader can tell where a record with its own member ends in the file.
 */
export type ArchivePiece = {
  bytes: Buffer
  /** Plain content: offset of `bytes` in the file. A member: its start; for its last piece, its end. */
  offset: number
  within: 'plain' | 'member' | 'member-end'
}

export async function* archivePieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivePiece> {
  const input = createRawInput(source)
  try {
    const start = await input.lookAhead(2)
    const compressed = start.length >= 2 && start[0] === 0x1f && start[1] === 0x8b
    yield* compressed ? allMembers(input) : plainPieces(input)
  } finally {
    await input.close()
  }
}

async function* allMembers(input: RawInput): AsyncGenerator<ArchivePiece> {
  while ((await input.lookAhead(1)).length > 0) {
    if (await onlyZerosLeft(input)) return
    yield* memberPieces(input)
  }
}

async function* plainPieces(input: RawInput): AsyncGenerator<ArchivePiece> {
  for (;;) {
    const offset = input.offset()
    const bytes = await input.next()
    if (bytes === null) return
    yield { bytes, offset, within: 'plain' }
  }
}

/** Some writers pad the last disk block with zeros. */
async function onlyZerosLeft(input: RawInput): Promise<boolean> {
  if ((await input.lookAhead(1))[0] !== 0) return false
  const offset = input.offset()
  for (let bytes = await input.next(); bytes !== null; bytes = await input.next()) {
    if (bytes.some((each) => each !== 0)) throw new RecordDamage(offset, 'no gzip member where one should start')
  }
  return true
}

async function* memberPieces(input: RawInput): AsyncGenerator<ArchivePiece> {
  const offset = input.offset()
  input.take(await headerLength(input))
  let sum = 0
  let length = 0
  for await (const bytes of inflated(input, offset)) {
    sum = crc32(bytes, sum)
    length += bytes.length
    yield { bytes, offset, within: 'member' }
  }
  const trailer = await input.lookAhead(8)
  if (trailer.length < 8) throw new RecordDamage(offset, 'the gzip member is cut off')
  if (trailer.readUInt32LE(0) !== sum || trailer.readUInt32LE(4) !== length % 2 ** 32) {
    throw new RecordDamage(offset, 'the gzip member does not match its checksum')
  }
  input.take(8)
  yield { bytes: Buffer.alloc(0), offset: input.offset(), within: 'member-end' }
}

async function headerLength(input: RawInput): Promise<number> {
  for (let want = 64; ; want *= 4) {
    const bytes = await input.lookAhead(want)
    const length = gzipHeaderLength(bytes)
    if (length === 'malformed') throw new RecordDamage(input.offset(), 'no gzip member where one should start')
    if (length !== 'more') return length
    if (bytes.length < want) throw new RecordDamage(input.offset(), 'the gzip header is cut off')
  }
}

/**
 * Inflates the deflate stream at the current position. The inflater gets one chunk at a time: what it leaves unconsumed is after the
 * end of the stream and is given back.
 */
async function* inflated(input: RawInput, offset: number): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: 64 * 1024 })
  const outcome = watch(inflater)
  try {
    for (;;) {
      const chunk = await input.next()
      const consumedBefore = inflater.bytesWritten
      outcome.begin()
      if (chunk === null) inflater.end(outcome.settle)
      else inflater.write(chunk, outcome.settle)
      yield* outcome.output()
      if (outcome.failure() !== null || chunk === null) break
      const consumed = inflater.bytesWritten - consumedBefore
      if (consumed < chunk.length) {
        input.giveBack(chunk.subarray(consumed))
        return
      }
    }
  } finally {
    inflater.destroy()
  }
  const failure = outcome.failure()
  if (failure !== null) throw new RecordDamage(offset, 'the gzip member is cut off or damaged', failure)
}

/** Yields output as it arrives, until the current chunk is consumed. */
function watch(inflater: InflateRaw) {
  let settled = false
  let failure: Error | null = null
  let wake = () => {}
  const settle = (error?: Error | null) => {
    failure ??= error ?? null
    settled = true
    wake()
  }
  inflater.on('readable', () => wake())
  inflater.on('error', settle)

  async function* output(): AsyncGenerator<Buffer> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const done = settled
      for (let bytes = inflater.read(); bytes !== null; bytes = inflater.read()) yield bytes as Buffer
      if (done) return
      await woken
    }
  }

  return {
    begin: () => {
      settled = false
    },
    settle,
    output,
    failure: () => failure,
  }
}

/** The bytes of a file in order, with look-ahead and push-back. */
type RawInput = {
  /** File offset of the next byte. */
  offset(): number
  /** The next available bytes; null at the end. */
  next(): Promise<Buffer | null>
  /** At least `length` bytes unless the file ends before, without consuming them. */
  lookAhead(length: number): Promise<Buffer>
  /** Consumes bytes that were looked at. */
  take(length: number): void
  giveBack(bytes: Buffer): void
  /** Tells the source that nothing more will be read. */
  close(): Promise<void>
}

function createRawInput(source: AsyncIterable<Uint8Array>): RawInput {
  const iterator = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  let offset = 0

  async function fetchChunk(): Promise<Buffer | null> {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done) return null
      if (value.byteLength > 0) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
  }

  return {
    offset: () => offset,
    async next() {
      const bytes = held.length > 0 ? held : await fetchChunk()
      held = Buffer.alloc(0)
      offset += bytes?.length ?? 0
      return bytes
    },
    async lookAhead(length) {
      while (held.length < length) {
        const chunk = await fetchChunk()
        if (chunk === null) break
        held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      }
      return held
    },
    take(length) {
      held = held.subarray(length)
      offset += length
    },
    giveBack(bytes) {
      held = held.length === 0 ? bytes : Buffer.concat([bytes, held])
      offset -= bytes.length
    },
    async close() {
      await iterator.return?.()
    },
  }
}
