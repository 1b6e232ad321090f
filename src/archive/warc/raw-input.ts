/** The bytes of a file in order, with the right to look ahead and to give back what was taken too much. */
export type RawInput = {
  /** Where in the file the next byte stands. */
  offset(): number
  /** What is at hand next, null at the end. */
  next(): Promise<Buffer | null>
  /** At least `length` bytes unless the file ends before, and nothing is taken. */
  lookAhead(length: number): Promise<Buffer>
  /** Takes bytes that were looked at. */
  take(length: number): void
  giveBack(bytes: Buffer): void
  /** Tells the source that nothing more is wanted. */
  close(): Promise<void>
}

export function createRawInput(source: AsyncIterable<Uint8Array>): RawInput {
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
