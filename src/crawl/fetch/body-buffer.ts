import { releaseMemory } from '../../core/work/release-memory.ts'

/** A length that was announced is taken at its word up to here; beyond it, room grows with what comes. */
const maxTrustedBytes = 1 << 20
const firstBytes = 32 << 10

/**
 * Gathers a body in one piece of memory of its own: chunks are views of the buffer that every read of the thread goes to. With an
 * announced length, the memory is of that size from the first byte.
 */
export class BodyBuffer {
  size = 0
  #room: Buffer | null = null

  /** `announced`: the length that the header names, NaN for none; `limit`: no more than this is kept. */
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

  /** The whole body. Room that stayed empty is not kept with it, unless it is little. */
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
