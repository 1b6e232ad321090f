import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { AppError } from '../../core/errors.ts'
import { connectFailure } from '../../crawl/fetch/failure.ts'

export type TlsOptions = Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized' | 'minVersion'>

export type LineSocketOptions = {
  host: string
  /** The address of the host to connect to; no other is allowed. */
  address: string
  port: number
  isSecure: boolean
  tls: TlsOptions | undefined
  connectTimeoutMs: number
  /** Maximum time without receiving a byte. */
  stallTimeoutMs: number
  signal: AbortSignal
}

const firstCapacity = 16 * 1024

/** Reads lines from a server on demand, without reading ahead (backpressure). */
export class LineSocket {
  readonly address: string
  private readonly options: LineSocketOptions
  private socket: Socket
  private store = Buffer.allocUnsafe(firstCapacity)
  private start = 0
  private end = 0
  private failure: Error | null = null
  private isOver = false
  private wake: (() => void) | null = null
  private readonly onAbort = (): void => void this.fail(abortError(this.options.signal))
  isSecure: boolean

  private constructor(options: LineSocketOptions, socket: Socket) {
    this.options = options
    this.address = options.address
    this.isSecure = options.isSecure
    this.socket = socket
    this.listen()
    options.signal.addEventListener('abort', this.onAbort, { once: true })
  }

  static async connect(options: LineSocketOptions): Promise<LineSocket> {
    const { address, port, isSecure, signal } = options
    if (signal.aborted) throw abortError(signal)
    const socket = isSecure
      ? connectTls({ ...secureOptions(options), host: address, port })
      : connectTcp({ host: address, port, noDelay: true })
    await ready(socket, options, isSecure)
    return new LineSocket(options, socket)
  }

  /** Upgrades to TLS. Refuses data injected after the server's last plain-text line (RFC 4642, 2.2.2). */
  async secure(): Promise<void> {
    if (this.failure !== null) throw this.failure
    if (this.end !== this.start || this.socket.readableLength > 0)
      throw this.fail(new AppError('protocol-failed', 'the server sent more than an answer before TLS'))
    this.socket.removeAllListeners('readable').removeAllListeners('end').removeAllListeners('close')
    const plain = this.socket
    const socket = connectTls({ ...secureOptions(this.options), socket: plain })
    // A refused TLS socket leaves the plain one open.
    socket.once('close', () => plain.destroy())
    this.socket = socket
    await ready(socket, this.options, true)
    this.isSecure = true
    this.listen()
  }

  write(text: string): void {
    if (this.failure === null && !this.socket.writableEnded) this.socket.write(text, 'latin1')
  }

  /** The next line without its end, valid until the next call; null if it is longer than `maxBytes`. */
  async line(maxBytes: number): Promise<Buffer | null> {
    let seen = this.start
    for (;;) {
      const at = this.store.subarray(0, this.end).indexOf(0x0a, seen)
      if (at !== -1) {
        const line = this.store.subarray(this.start, at > this.start && this.store[at - 1] === 0x0d ? at - 1 : at)
        this.start = at + 1
        return line.length > maxBytes ? null : line
      }
      if (this.end - this.start > maxBytes + 1) return null
      seen = this.end - this.start
      await this.fill()
      seen += this.start
    }
  }

  /** Waits for data and appends it. */
  private async fill(): Promise<void> {
    for (;;) {
      if (this.failure !== null) throw this.failure
      const chunk = this.socket.read() as Buffer | null
      if (chunk !== null) {
        this.append(chunk)
        return
      }
      if (this.isOver) throw this.fail(new AppError('connect-failed', 'the server closed the connection'))
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          const seconds = Math.round(this.options.stallTimeoutMs / 1000)
          this.fail(new AppError('body-timeout', `no answer within ${seconds} s`))
        }, this.options.stallTimeoutMs)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** Doubles the capacity, so that appending many small pieces has amortised constant cost. */
  private append(chunk: Buffer): void {
    const length = this.end - this.start
    if (this.end + chunk.length > this.store.length) {
      const needed = length + chunk.length
      const room =
        needed * 2 <= this.store.length ? this.store : Buffer.allocUnsafe(Math.max(firstCapacity, needed * 2))
      this.store.copy(room, 0, this.start, this.end)
      this.store = room
      this.start = 0
      this.end = length
    }
    chunk.copy(this.store, this.end)
    this.end += chunk.length
  }

  private listen(): void {
    const wake = (): void => {
      const waiting = this.wake
      this.wake = null
      waiting?.()
    }
    this.socket
      .on('readable', wake)
      .on('end', () => {
        this.isOver = true
        wake()
      })
      .on('close', () => {
        this.isOver = true
        wake()
      })
      .on('error', (error) => this.fail(new AppError('connect-failed', 'the connection was cut', { cause: error })))
  }

  private fail(error: Error): Error {
    this.failure ??= error
    this.socket.destroy()
    const waiting = this.wake
    this.wake = null
    waiting?.()
    return this.failure
  }

  get isUsable(): boolean {
    return this.failure === null && !this.isOver
  }

  /** Sends `lastWord` first if the connection is still usable. */
  close(lastWord: string): void {
    this.options.signal.removeEventListener('abort', this.onAbort)
    if (this.isUsable && lastWord !== '') this.socket.end(lastWord, 'latin1')
    this.failure ??= new AppError('connect-failed', 'the connection is closed')
    // Further data is dropped; the server has a limited time to close the connection.
    this.socket
      .removeAllListeners('readable')
      .on('error', ignore)
      .setTimeout(1000, () => this.socket.destroy())
      .resume()
    if (lastWord === '') this.socket.destroy()
  }
}

function secureOptions({ tls, host }: LineSocketOptions): ConnectionOptions {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  // An IP address has no server name (SNI), but the certificate must match it.
  return isIP(name) === 0 ? { ...tls, servername: name } : { ...tls, servername: '', host: name }
}

function ready(socket: Socket, { connectTimeoutMs, address, signal }: LineSocketOptions, isSecure: boolean) {
  return new Promise<void>((resolve, reject) => {
    const event = isSecure ? 'secureConnect' : 'connect'
    const timer = setTimeout(() => {
      end(new AppError('connect-timeout', `no connection with ${address} within ${connectTimeoutMs} ms`))
    }, connectTimeoutMs)
    const onReady = (): void => end(null)
    const onError = (error: Error): void => end(connectFailure(error, isSecure))
    const onClose = (): void => end(new AppError('connect-failed', `${address} closed the connection`))
    const onAbort = (): void => end(abortError(signal))
    function end(error: Error | null): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.off(event, onReady).off('error', onError).off('close', onClose)
      if (error === null) resolve()
      else {
        socket.on('error', ignore).destroy()
        reject(error)
      }
    }
    socket.once(event, onReady).once('error', onError).once('close', onClose)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

function abortError(signal: AbortSignal): Error {
  const { reason } = signal
  return reason instanceof AppError ? reason : new AppError('total-timeout', 'the visit was ended', { cause: reason })
}

function ignore(): void {}
