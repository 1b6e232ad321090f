const none = Buffer.alloc(0)

/** Bytes whose rest has not arrived. They may come one by one: the buffer doubles, so that copying is amortised. */
export class HeldBytes {
  size = 0
  #room = none

  clear(): void {
    this.#room = none
    this.size = 0
  }

  /** Appends the chunk and returns all bytes so far. */
  add(chunk: Buffer): Buffer {
    const needed = this.size + chunk.length
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(1024, 2 * this.#room.length, needed))
      this.#room.copy(larger, 0, 0, this.size)
      this.#room = larger
    }
    this.size += chunk.copy(this.#room, this.size)
    return this.#room.subarray(0, this.size)
  }

  /** Keeps the bytes from `start` on, and drops those before. */
  keep(bytes: Buffer, start: number): void {
    if (this.size > 0 && start === 0) return
    const rest = Buffer.from(bytes.subarray(start))
    this.clear()
    this.add(rest)
  }
}
