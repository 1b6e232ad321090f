import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

/** Why a Debian program is not there; false where it is. In CI it must be. */
export function programSkip(path: string, debianPackage: string): string | false {
  const isThere = existsSync(path)
  if (!isThere && process.env.CI) throw new Error(`${path} must be there in CI (Debian package ${debianPackage})`)
  return isThere ? false : `there is no ${path} (Debian package ${debianPackage})`
}

/** What a program has to be started with to be root; undefined where that isn't allowed. */
export const asRoot: readonly string[] | undefined =
  process.getuid?.() === 0 ? [] : spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined

export type Inetd = {
  port: number
  /** Resolves when all connections so far are over, and their programs with them. */
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
