import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export type RawServer = {
  port: number
  /** Everything that clients have sent. */
  heard(): string
  end(): Promise<void>
}

/** A scripted server, for behaviour that no real one has. `answer` is called for each line. */
export async function startRawServer(
  greeting: string | ((socket: Socket) => void),
  answer: (line: string, socket: Socket) => string | undefined,
): Promise<RawServer> {
  let heard = ''
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let rest = ''
    socket.setEncoding('latin1').on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (text: string) => {
      heard += text
      const lines = (rest + text).split('\r\n')
      rest = lines.pop()!
      for (const line of lines) {
        const reply = answer(line, socket)
        if (reply !== undefined) socket.write(reply, 'latin1')
      }
    })
    if (typeof greeting === 'string') socket.write(greeting, 'latin1')
    else greeting(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => heard,
    async end() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Writes the same text repeatedly, as fast as it is accepted, until the client disconnects. */
export function pourInto(socket: Socket, text: string): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(text, 'latin1'));
    if (!socket.destroyed) socket.once('drain', pour)
  }
  pour()
}
