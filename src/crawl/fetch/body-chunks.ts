/** Bodies of up to this many reads are kept as they came; longer lists are worth a copy. */
const keptAsTheyCome = 32
const smallBytes = 4096
const tailBytes = 64 << 10

/**
 * Gathers a body. Each chunk is a view of the buffer that the socket read into, which is never written to again, so it is
 * kept without copying. But a hostile origin can send a body as ten million chunks of one byte, and a view costs
 * a hundred times that and holds the whole buffer behind it: beyond the first few, small chunks are copied together.
 */
export class BodyChunks {
  size = 0
  #chunks: Buffer[] = []
  #tail: Buffer | null = null
  #tailSize = 0

  push(chunk: Buffer): void {
    this.size += chunk.length
    if (this.#chunks.length < keptAsTheyCome) this.#chunks.push(chunk)
    else this.#pushLate(chunk)
  }

  #pushLate(chunk: Buffer): void {
    if (chunk.length >= smallBytes || this.#tailSize + chunk.length > tailBytes) this.#closeTail()
    if (chunk.length >= smallBytes) {
      this.#chunks.push(chunk)
      return
    }
    this.#tail ??= Buffer.allocUnsafeSlow(tailBytes)
    this.#tailSize += chunk.copy(this.#tail, this.#tailSize)
  }

  #closeTail(): void {
    if (this.#tail === null || this.#tailSize === 0) return
    if (this.#tailSize >= tailBytes / 2) {
      this.#chunks.push(this.#tail.subarray(0, this.#tailSize))
      this.#tail = null
    } else {
      // Alternating small and large chunks would otherwise hold a full tail for a few bytes each time.
      this.#chunks.push(Buffer.from(this.#tail.subarray(0, this.#tailSize)))
    }
    this.#tailSize = 0
  }

  /** The whole body, one copy unless it came in one piece. */
  take(): Buffer {
    this.#closeTail()
    const chunks = this.#chunks
    this.#chunks = []
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, this.size)
  }
}
