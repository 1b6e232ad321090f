import { connect as connectTcp, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { AppError } from '../../core/errors.ts'

/** A line-based connection, as for POP3. Reads only on demand, apart from what the system buffers. */
export type LineConnection = {
  readonly isSecure: boolean
  write(line: string): void
  /** Without its line end. */
  readLine(): Promise<string>
  /**
   * Reads lines up to one with a single dot, and removes dot-stuffing. Bytes beyond `maxBytes` are read and dropped; beyond
   * `maxDrainBytes`, it fails.
   */
  readBlock(maxBytes: number): Promise<{ body: Buffer; isCut: boolean }>
  /** The same for a list, line by line. */
  readLines(onLine: (line: string) => void): Promise<void>
  /** Upgrades to TLS. */
  secure(options: ConnectionOptions): Promise<void>
  destroy(): void
}

const maxLineBytes = 8192
const maxDrainBytes = 200_000_000
const lf = 0x0a
const cr = 0x0d
const dot = 0x2e

type Options = { address: string; port: number; connectTimeoutMs: number; stallTimeoutMs: number; signal: AbortSignal }

const failed = (code: string): Error => Object.assign(new Error(code), { code })

export async function connectLines({ address, port, ...given }: Options): Promise<LineConnection> {
  let socket: Socket = connectTcp({ host: address, port })
  let isSecure = false
  let rest: Buffer = Buffer.alloc(0)
  const abort = (): void => void socket.destroy()
  given.signal.addEventListener('abort', abort)

  /** Rejects when the socket fails, ends or stays silent. */
  function happens(on: Socket, event: string, timeoutMs: number, timeoutCode: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => on.destroy(failed(timeoutCode)), timeoutMs)
    const gone = (): void => reject(failed('ECONNRESET'))
    on.once(event, resolve).once('error', reject).once('end', gone).once('close', gone)
    return promise.finally(() => {
      clearTimeout(timer)
      on.off(event, resolve).off('error', reject).off('end', gone).off('close', gone)
    })
  }

  async function more(): Promise<void> {
    for (;;) {
      const chunk: Buffer | null = socket.read()
      if (chunk !== null) {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        return
      }
      if (socket.destroyed || socket.readableEnded) throw socket.errored ?? failed('ECONNRESET')
      await happens(socket, 'readable', given.stallTimeoutMs, 'ETIMEOUT')
    }
  }

  async function readLine(): Promise<string> {
    for (let from = 0; ; ) {
      const end = rest.indexOf(lf, from)
      if (end > maxLineBytes || (end === -1 && rest.length > maxLineBytes)) throw tooLong()
      if (end !== -1) {
        const line = rest.toString('latin1', 0, end > 0 && rest[end - 1] === cr ? end - 1 : end)
        rest = rest.subarray(end + 1)
        return line
      }
      from = rest.length
      await more()
    }
  }

  /** Passes on pieces of lines as they arrive; `isEnd` marks the last piece of a line. */
  async function unstuffed(onPiece: (piece: Buffer, isEnd: boolean) => void): Promise<void> {
    let isStart = true
    for (let read = 0; ; ) {
      if (read > maxDrainBytes) throw tooLong()
      if (rest.length === 0) await more()
      if (isStart && rest[0] === dot) {
        while (rest.length < 2 || (rest[1] === cr && rest.length < 3)) await more()
        const afterDot = rest[1] === cr ? 2 : 1
        if (rest[afterDot] === lf) {
          rest = rest.subarray(afterDot + 1)
          return
        }
        rest = rest.subarray(1)
      }
      const end = rest.indexOf(lf)
      const piece = end === -1 ? rest : rest.subarray(0, end + 1)
      rest = rest.subarray(piece.length)
      read += piece.length
      isStart = end !== -1
      onPiece(piece, isStart)
    }
  }

  async function readBlock(maxBytes: number): Promise<{ body: Buffer; isCut: boolean }> {
    const pieces: Buffer[] = []
    let length = 0
    await unstuffed((piece) => {
      if (length < maxBytes) pieces.push(piece.subarray(0, maxBytes - length))
      length += piece.length
    })
    return { body: Buffer.concat(pieces), isCut: length > maxBytes }
  }

  async function readLines(onLine: (line: string) => void): Promise<void> {
    let line = ''
    await unstuffed((piece, isEnd) => {
      line += piece.toString('latin1')
      if (line.length > maxLineBytes) throw tooLong()
      if (!isEnd) return
      onLine(line.replace(/\r?\n$/, ''))
      line = ''
    })
  }

  async function secure(options: ConnectionOptions): Promise<void> {
    // Plain text, perhaps injected by an attacker, would be taken for data received over TLS.
    if (rest.length > 0)
      throw new AppError('tls-failed', 'The server went on without TLS when it had to begin with it.')
    const upgraded = connectTls({ ...options, socket })
    upgraded.on('error', () => {})
    socket = upgraded
    await happens(upgraded, 'secureConnect', given.connectTimeoutMs, 'ETIMEDOUT')
    isSecure = true
  }

  // A pending read rejects with the error; without one, the next read does.
  socket.on('error', () => {})
  await happens(socket, 'connect', given.connectTimeoutMs, 'ETIMEDOUT')
  return {
    get isSecure() {
      return isSecure
    },
    write: (line) => {
      if (/[\r\n\0]/.test(line)) throw new AppError('protocol-failed', 'A command must be a single line.')
      socket.write(`${line}\r\n`, 'latin1')
    },
    readLine,
    readBlock,
    readLines,
    secure,
    destroy() {
      given.signal.removeEventListener('abort', abort)
      socket.destroy()
    },
  }
}

const tooLong = (): AppError => new AppError('protocol-failed', 'The server sends a line or a message without end.')
