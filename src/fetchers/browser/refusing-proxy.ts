import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** Dead end for everything that a browser sends without our interception. */
export type RefusingProxy = {
  readonly url: string
  readonly refused: number
  close(): Promise<void>
}

const answer = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/** Answers every request and every CONNECT with 403, without parsing it. */
export async function startRefusingProxy(): Promise<RefusingProxy> {
  const sockets = new Set<Socket>()
  let refused = 0
  const server = createServer((socket) => {
    refused++
    sockets.add(socket)
    // The peer may close at any time; that is fine.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.setTimeout(1000, () => socket.destroy())
    socket.resume().end(answer)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    get refused() {
      return refused
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
