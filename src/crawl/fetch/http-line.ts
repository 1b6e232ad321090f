/**
 * One connection and the HTTP/1.1 on it: a request is written, its response read, and then the next, never two at a time. It is
 * - idle: bytes that come now were not asked for, so the connection is closed;
 * - reading a head, then a body by its length, by its chunks, or until the connection ends;
 * - closed.
 * It is as strict with what comes as it can be: what is not plainly HTTP ends the exchange as malformed, and the connection with it.
 */
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { ChunkReader, MORE, STOPPED, TOO_LONG } from './chunk-reader.ts'
import type { Connected } from './connector.ts'
import type { Exchange } from './exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { parseHead } from './parse-head.ts'
import { createHeadReader } from './response-head.ts'

/** Responses without a body, whatever length they tell of. */
const bodiless = new Set([204, 304])
/** The server closes its end that much earlier than it says, as seen from here. */
const keptSlackMs = 500

export type HttpLine = {
  send(exchange: Exchange): void
  /** Whether another request may be written. */
  isOpen(now: number): boolean
  destroy(): Promise<void>
}

type HttpLineDeps = {
  connected: Connected
  /** Writes method, path and header of its request. */
  writeHead(exchange: Exchange): string
  limits: Pick<FetchLimits, 'maxHeaderBytes' | 'keepAliveMs'>
  now(): number
}

export function createHttpLine({ connected, writeHead, limits, now }: HttpLineDeps): HttpLine {
  const { socket, reads } = connected
  const readHead = createHeadReader()
  let current: Exchange | null = null
  /** Of the body: bytes that are still to come, Infinity until the connection ends, NaN while there is no body yet. */
  let left = Number.NaN
  let chunks: ChunkReader | null = null
  let keptMs = 0
  let idleUntil = 0

  /** The first reason counts: what follows from it comes when nobody waits any more. */
  function fail(error: Error): void {
    const exchange = current
    current = null
    socket.destroy()
    exchange?.onError(error)
  }

  function closedEarly(): void {
    fail(Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' }))
  }

  const refuse = (message: string, code: ErrorCode = 'http-malformed'): void => fail(new AppError(code, message))

  const refuseLength = (): void =>
    refuse(`the response header is longer than ${limits.maxHeaderBytes} bytes`, 'header-too-large')

  const abort = (): void => {
    current = null
    socket.destroy()
  }

  const takePiece = (piece: Buffer): boolean => current?.onData(piece) === true

  function complete(isKept: boolean): void {
    const exchange = current!
    current = null
    left = Number.NaN
    chunks = null
    if (isKept && keptMs > 0) {
      idleUntil = now() + keptMs
      socket.unref()
    } else socket.destroy()
    // Last: it may send the next request.
    exchange.onComplete()
  }

  function beginBody(exchange: Exchange, text: string): boolean {
    if (text.length > limits.maxHeaderBytes) {
      refuseLength()
      return false
    }
    const head = parseHead(text)
    if (typeof head === 'string') {
      refuse(head)
      return false
    }
    const { status, length, isChunked } = head
    if (bodiless.has(status)) left = 0
    else if (isChunked) chunks = new ChunkReader(limits.maxHeaderBytes)
    else left = Number.isNaN(length) ? Number.POSITIVE_INFINITY : length
    const announced = Number.isNaN(head.keptMs) ? limits.keepAliveMs : head.keptMs - keptSlackMs
    keptMs = Math.min(limits.keepAliveMs, announced)
    return exchange.onHead(head)
  }

  function readBody(bytes: Buffer): void {
    if (chunks !== null) {
      const read = chunks.read(bytes, takePiece)
      if (typeof read === 'string') refuse(read)
      else if (read === TOO_LONG) refuseLength()
      else if (read !== MORE && read !== STOPPED) complete(read === bytes.length)
      return
    }
    const own = Math.min(left, bytes.length)
    left -= own
    if (own > 0 && !takePiece(own === bytes.length ? bytes : bytes.subarray(0, own))) return
    // Bytes behind the end were not asked for.
    if (left === 0) complete(own === bytes.length)
  }

  reads.take = (chunk) => {
    const exchange = current
    if (exchange === null) return void socket.destroy()
    if (!exchange.onWire(chunk.length)) return
    if (chunks !== null || !Number.isNaN(left)) return readBody(chunk)
    const head = readHead(chunk, exchange)
    if (typeof head === 'string') refuse(head)
    else if (head !== null && beginBody(exchange, head.text)) readBody(head.rest)
  }

  socket
    .on('end', () => {
      if (current !== null && left === Number.POSITIVE_INFINITY) complete(false)
      else closedEarly()
    })
    .on('error', fail)
    .on('close', closedEarly)

  return {
    send(exchange) {
      current = exchange
      const { body } = exchange.request
      socket.ref()
      exchange.onConnect(abort)
      if (body === null) socket.write(writeHead(exchange), 'latin1')
      else {
        socket.cork()
        socket.write(writeHead(exchange), 'latin1')
        socket.write(body)
        socket.uncork()
      }
    },
    isOpen: (at) => socket.writable && at < idleUntil,
    async destroy() {
      const closed = socket.closed ? null : new Promise((resolve) => socket.once('close', resolve))
      fail(new AppError('connect-failed', 'the connection was given up'))
      await closed
    },
  }
}
