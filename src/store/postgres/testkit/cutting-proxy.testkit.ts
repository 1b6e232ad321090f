import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a pool and its server that can cut a connection in mid-conversation, or silence all of them. */
export type CuttingProxy = {
  /** The server's address through the proxy. */
  address: string
  /**
   * Loses the nth statement from now on (`before`) or its answer (`behind`), and closes the connection on both sides.
   */
  cutAt(nth: number, side: 'before' | 'behind'): void
  /** Silently drops all traffic on existing connections; new ones work normally. */
  silence(): void
  /** Returns whether a connection was cut, and disarms the proxy. */
  wasCut(): boolean
  close(): Promise<void>
}

/** Protocol messages that execute something: a prepared statement, or a query text. */
const EXECUTE = 0x45
const QUERY = 0x51
const TYPE_AND_LENGTH = 5

export async function startCuttingProxy(address: string): Promise<CuttingProxy> {
  const url = new URL(address)
  const target = { host: url.hostname, port: Number(url.port) }
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let left = 0
  let side: 'before' | 'behind' = 'before'
  let isCut = false

  const server = createServer((client) => {
    const upstream = connect(target)
    let isDeaf = false
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // Otherwise Nagle's algorithm delays a message sent in several pieces.
      socket.setNoDelay(true)
      socket.on('error', end).on('close', end)
    }
    const read = createMessageReader((message, isStatement) => {
      const isTheOne = isStatement && left > 0 && --left === 0
      if (isTheOne) isCut = true
      if (isTheOne && side === 'before') return end()
      if (isTheOne) isDeaf = true
      if (!upstream.destroyed && !silent.has(upstream)) upstream.write(message)
    })
    client.on('data', read)
    upstream.on('data', (answer) => {
      if (isDeaf) end()
      else if (!silent.has(upstream)) client.write(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    address: url.href,
    cutAt(nth, given) {
      left = nth
      side = given
      isCut = false
    },
    silence() {
      for (const socket of sockets) silent.add(socket)
    },
    wasCut() {
      left = 0
      return isCut
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Splits a client's byte stream into messages. The first message has no type. */
function createMessageReader(tell: (message: Buffer, isStatement: boolean) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let isFirst = true
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const offset = isFirst ? 0 : 1
      if (rest.length < TYPE_AND_LENGTH) return
      const length = offset + rest.readInt32BE(offset)
      if (rest.length < length) return
      const type = isFirst ? 0 : rest[0]
      isFirst = false
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      tell(message, type === EXECUTE || type === QUERY)
    }
  }
}
