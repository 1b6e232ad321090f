import type { Socket } from 'node:net'

/** What an exchange wants to know of the bytes on its connection. */
export type WireWatcher = {
  /** True while the next byte can only be the first of a response. */
  readonly awaitsMessage: boolean
  /** Counts bytes; false when they break a limit and the exchange has been ended. */
  onWire(bytes: number): boolean
}

const interim = 'HTTP/1.1 100'
const maxInterimBytes = 8 << 10

/**
 * Sees each read of a socket before the HTTP parser does, for two reasons. The parser counts neither status lines nor
 * chunk framing, so an origin could send those without end: here every byte counts. And the parser treats an
 * unasked-for "100 Continue" as a broken reply, where RFC 9110 asks a client to pass over it: it is cut out here.
 */
export function watchReads(socket: Socket, watcher: () => WireWatcher | null): void {
  const read = socket.read
  let held: Buffer | null = null
  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read.call(socket, size)
    const current = watcher()
    if (chunk === null || current === null) return chunk
    if (!current.onWire(chunk.length)) return null
    if (!current.awaitsMessage) return chunk
    // '1' where the status begins, or too little to tell: anything else is the usual response.
    if (held === null && chunk.length >= interim.length && chunk[9] !== 0x31) return chunk
    const start = held === null ? chunk : Buffer.concat([held, chunk])
    const rest = withoutInterim(start)
    held = rest === 'incomplete' ? start : null
    return rest === 'incomplete' || rest.length === 0 ? null : rest
  }
}

function withoutInterim(bytes: Buffer): Buffer | 'incomplete' {
  let rest = bytes
  while (rest.length > 0) {
    const opening = rest.toString('latin1', 0, Math.min(rest.length, interim.length))
    if (!interim.startsWith(opening)) return rest
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return rest.length > maxInterimBytes ? rest : 'incomplete'
    rest = rest.subarray(end + 4)
  }
  return rest
}
