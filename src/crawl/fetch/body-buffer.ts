import { releaseMemory } from '../../core/work/release-memory.ts'

/** Maximum size allocated in advance for an announced length; beyond it, the buffer grows as data arrives. */
const maxTrustedBytes = 1 << 20
const firstBytes = 32 << 10

/**
 * Collects a body in one buffer of its own, since chunks are views of the read buffer that the whole thread shares. With an announced
 * length, the buffer has that size from the first byte.
 */
export class BodyBuffer {
  size = 0
  #room: Buffer | null = null

  /** `announced`: the length in the header, NaN for none; `limit`: maximum size of the body. */
  push(chunk: Buffer, announced: number, limit: number): void {
    const needed = this.size + chunk.length
    if (this.#room === null) this.#room = Buffer.allocUnsafeSlow(firstRoom(needed, announced, limit))
    else if (needed > this.#room.length) this.#grow(needed, announced, limit)
    this.size += chunk.copy(this.#room, this.size)
  }

  #grow(needed: number, announced: number, limit: number): void {
    const most = Math.min(limit, announced >= needed ? announced : limit)
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(most, 2 * this.#room!.length)))
    this.#room!.copy(larger, 0, 0, this.size)
    releaseMemory(this.#room!)
    this.#room = larger
  }

  /** Returns the whole body. Copies it if much of the buffer is unused. */
  take(): Buffer {
    const room = this.#room
    this.#room = null
    if (room === null) return Buffer.alloc(0)
    if (room.length === this.size) return room
    const body = room.subarray(0, this.size)
    if (room.length - this.size <= this.size >> 2) return body
    const own = Buffer.allocUnsafeSlow(this.size)
    body.copy(own)
    releaseMemory(room)
    return own
  }
}

function firstRoom(needed: number, announced: number, limit: number): number {
  const expected = announced > 0 ? Math.min(announced, maxTrustedBytes) : firstBytes
  return Math.max(needed, Math.min(limit, expected))
}
