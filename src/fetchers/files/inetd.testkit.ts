import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export type Inetd = {
  port: number
  /** Resolves when the programs of all connections so far have exited. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Starts a program for each connection, with the connection as its standard input and output. */
export async function startInetd([program = '', ...given]: readonly string[]): Promise<Inetd> {
  const running = new Set<Promise<unknown>>()
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const child = spawn(program, given, { stdio: [socket, socket, 'ignore'] })
    const ended = once(child, 'close').finally(() => running.delete(ended))
    running.add(ended)
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  async function idle(): Promise<void> {
    await Promise.all(running)
  }
  return {
    port: (server.address() as AddressInfo).port,
    idle,
    async close() {
      server.close()
      await idle()
    },
  }
}
