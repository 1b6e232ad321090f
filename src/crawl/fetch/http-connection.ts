/**
 * One connection and the HTTP/1.1 on it. It is
 * - idle: bytes that arrive now were not asked for, and close it;
 * - busy: a request has been written, and its response is being read;
 * - closed.
 * Anything that isn't plainly HTTP ends the exchange as malformed, and the connection with it.
 */
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Connected } from './connector.ts'
import type { Exchange } from './exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { ReadOutcome } from './read-outcome.ts'
import { ResponseReader } from './response-reader.ts'

/** The server closes its end this much earlier than it says, as seen from here. */
const keepAliveSlackMs = 500
/** Some servers end a response with a line end or two that don't belong to it. */
const maxStrayBytes = 4

const carriageReturn = 0x0d
const lineFeed = 0x0a

type HttpConnectionDeps = {
  /** With its port, unless that is the usual one. */
  host: string
  limits: Pick<FetchLimits, 'maxHeaderBytes' | 'keepAliveMs'>
  clock: Pick<Clock, 'monotonic'>
}

export class HttpConnection {
  isClosed = false
  /** Responses read so far: above 0, the connection is a reused one. */
  responses = 0

  readonly #socket: Connected['socket']
  readonly #reader: ResponseReader
  readonly #keepAliveMs: number
  readonly #clock: Pick<Clock, 'monotonic'>
  /** The part of a request's head that is the same for all. */
  readonly #common: string
  #exchange: Exchange | null = null
  #idleUntil = 0

  constructor({ socket, reads }: Connected, { host, limits, clock }: HttpConnectionDeps) {
    this.#socket = socket
    this.#keepAliveMs = limits.keepAliveMs
    this.#clock = clock
    this.#common = ` HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
    this.#reader = new ResponseReader(limits.maxHeaderBytes)
    reads.take = (chunk) => this.#take(chunk)
    socket
      // The sweeper of deadlines keeps the process alive while there are requests.
      .unref()
      .on('end', () => this.#onEnd())
      .on('error', (error) => this.#fail(error))
      .on('close', () => this.#onLost())
  }

  /** Whether another request may be written. */
  canSend(nowMs: number): boolean {
    return !this.isClosed && nowMs < this.#idleUntil
  }

  /** Writes the request; the exchange gets the response, or the error. */
  send(exchange: Exchange, nowMs: number): void {
    const socket = this.#socket
    const { path, headers, body, isPreflight } = exchange.request
    this.#exchange = exchange
    exchange.onSent(nowMs)
    if (body === null) {
      socket.write(`${isPreflight ? 'OPTIONS' : 'GET'} ${path}${this.#common}${headers}\r\n`, 'latin1')
    } else {
      socket.cork()
      socket.write(`POST ${path}${this.#common}${headers}content-length: ${body.length}\r\n\r\n`, 'latin1')
      socket.write(body)
      socket.uncork()
    }
  }

  /** Closes the connection. The exchange on it, if any, hears nothing. */
  close(): void {
    this.#exchange = null
    this.isClosed = true
    this.#socket.destroy()
  }

  /** Resolves when the socket is closed. */
  async closed(): Promise<void> {
    this.close()
    if (!this.#socket.closed) await new Promise((resolve) => this.#socket.once('close', resolve))
  }

  #take(chunk: Buffer): void {
    const exchange = this.#exchange
    if (exchange === null) {
      if (!areLineEnds(chunk, 0)) this.close()
      return
    }
    if (!exchange.onWire(chunk.length)) return
    const outcome = this.#read(chunk, exchange)
    if (outcome === 'complete') this.#complete(exchange, areLineEnds(chunk, this.#reader.end))
    else if (typeof outcome === 'object') this.#fail(new AppError(outcome.code, outcome.message))
  }

  #read(chunk: Buffer, exchange: Exchange): ReadOutcome {
    try {
      return this.#reader.read(chunk, exchange)
    } catch (error) {
      // For example, there is no memory for the body. The other exchanges go on.
      this.#fail(error as Error)
      return 'stopped'
    }
  }

  #complete(exchange: Exchange, endsCleanly: boolean): void {
    const stated = this.#reader.keepAliveMs
    const keptMs = Number.isNaN(stated) ? this.#keepAliveMs : Math.min(stated - keepAliveSlackMs, this.#keepAliveMs)
    // A server that answers before it has read a whole POST may not read the rest of it.
    const isSent = exchange.request.body === null || this.#socket.writableLength === 0
    this.#exchange = null
    this.responses++
    if (keptMs > 0 && endsCleanly && isSent) this.#idleUntil = this.#clock.monotonic() + keptMs
    else this.close()
    exchange.onComplete()
  }

  /** The server has closed its side in order. */
  #onEnd(): void {
    const exchange = this.#exchange
    if (exchange !== null && this.#reader.endsWithConnection) {
      this.close()
      exchange.onComplete()
    } else {
      this.#onLost()
    }
  }

  #onLost(): void {
    if (this.#exchange === null) this.close()
    else this.#fail(Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' }))
  }

  /** The first reason counts: later ones follow from it. */
  #fail(error: Error): void {
    const exchange = this.#exchange
    this.close()
    exchange?.onError(error)
  }
}

function areLineEnds(bytes: Buffer, start: number): boolean {
  if (bytes.length - start > maxStrayBytes) return false
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== carriageReturn && bytes[at] !== lineFeed) return false
  }
  return true
}
