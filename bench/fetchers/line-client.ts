import { once } from 'node:events'
import type { Socket } from 'node:net'
import { AppError } from '../../src/core/errors.ts'
import type { Read } from './contest.ts'

const lineEnd = Buffer.from('\r\n')
const blockEnd = Buffer.from('\r\n.\r\n')
/** Number of commands to pipeline. */
const ahead = 50

/** A minimal client for POP3 and NNTP, without limits or timeouts. */
export type LineClient = {
  ask(command: string): Promise<string>
  /** Sends several commands at once; each is answered with a line and a block. */
  readBlocks(commands: readonly string[]): Promise<Read>
  line(): Promise<string>
  block(): Promise<Buffer>
  end(): Promise<void>
}

export function createLineClient(socket: Socket): LineClient {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)

  async function upTo(end: Buffer): Promise<Buffer> {
    for (let from = 0; ; ) {
      const at = rest.indexOf(end, from)
      if (at !== -1) {
        const found = rest.subarray(0, at)
        rest = rest.subarray(at + end.length)
        return found
      }
      from = Math.max(0, rest.length - end.length)
      const { value, done } = await chunks.next()
      if (done === true) throw new AppError('internal', 'the server closed the connection')
      rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    }
  }

  async function line(): Promise<string> {
    const text = (await upTo(lineEnd)).toString('latin1')
    if (/^(?:-ERR|[45]\d\d)/.test(text)) throw new AppError('internal', `the server refused: ${text}`)
    return text
  }

  async function block(): Promise<Buffer> {
    const found = await upTo(blockEnd)
    const isStuffed = found[0] === 0x2e || found.includes('\r\n..')
    return isStuffed ? Buffer.from(found.toString('latin1').replace(/^\.\./gm, '.'), 'latin1') : found
  }

  return {
    line,
    block,
    ask(command) {
      socket.write(`${command}\r\n`)
      return line()
    },
    async readBlocks(commands) {
      let bytes = 0
      for (let at = 0; at < commands.length; at += ahead) {
        const some = commands.slice(at, at + ahead)
        socket.write(some.map((command) => `${command}\r\n`).join(''))
        for (const _ of some) {
          await line()
          bytes += (await block()).length + lineEnd.length
        }
      }
      return { items: commands.length, bytes }
    },
    async end() {
      const closed = socket.destroyed ? undefined : once(socket, 'close')
      socket.end('QUIT\r\n')
      socket.destroy()
      await closed
    },
  }
}
