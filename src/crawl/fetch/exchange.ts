/**
 * One request and its response. An exchange is in one of these phases:
 *
 *   waiting ──a connection is free──> connecting ──request written──> header ──header read──> body ──> ended
 *                                                                       │                      └─body not wanted─> drain ──> ended
 *                                                                       └─kept connection was already closed─> connecting (once)
 *
 * `settle` gives the caller the result, `ended` gives the connection back, and the first may come before the second:
 * a response without a body is settled by its header, and a short unwanted body is drained so that the connection
 * can be kept. Every exceeded limit ends in `cut`: the result first, then the connection is dropped.
 *
 * It is a class because there is one for each request, and closures would cost more.
 */
import type { Clock } from '../../core/clock.ts'
import { type ErrorCode, errorCodes } from '../../core/errors.ts'
import { BodyBuffer } from './body-buffer.ts'
import { exchangeFailure, isCut } from './failure.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { type FetchResult, fetchResponse, mediaTypeOf, type ResponseHead } from './fetch-result.ts'
import type { ParsedHead } from './response-head.ts'
import type { ResponseSink } from './response-reader.ts'

/** The connection that carries the exchange, as far as the exchange needs it. */
export type Carrier = {
  readonly address: string | null
  /** Responses read on the current connection: above 0 it is a reused one. */
  readonly responses: number
  /** Closes the connection that the request was sent on. */
  disconnect(): void
  /** Gives up connecting. */
  drop(): void
  /** Called when the exchange no longer needs the connection. */
  release(): void
  /** Sends the request once more, on a new connection. */
  again(): void
}

export type ExchangeSettings = {
  limits: FetchLimits
  clock: Clock
  acceptsMediaType(mediaType: string): boolean
}

export type ExchangeRequest = {
  path: string
  /** Lines, each with its line end. */
  headers: string
  /** Body of a POST; null for a GET. */
  body: Buffer | null
  isPreflight: boolean
  anyType: boolean
  maxBodyBytes: number
  onEarlyHints: ((links: string[]) => void) | null
  mayBegin: (() => boolean) | null
}

type Phase = 'waiting' | 'connecting' | 'header' | 'body' | 'drain' | 'ended'

/** Up to this length, draining an unwanted body is cheaper than a new connection. */
const drainBytes = 16 << 10
/** Maximum ratio of wire bytes to body bytes before it counts as an attack: one-byte chunks take six bytes each. */
const framingFactor = 4
const framingSlackBytes = 256 << 10

/** Maximum number of early hints per exchange. */
const maxInterims = 8

const noBody = Buffer.alloc(0)

/** Only `chunked` is decoded, and nothing else was requested: with another coding, the body isn't the page. */
const ownCoding = /^(?:identity|chunked)?$/i

export class Exchange implements ResponseSink {
  readonly request: ExchangeRequest
  carrier: Carrier | null = null

  readonly #settings: ExchangeSettings
  readonly #settled: (result: FetchResult) => void
  #isSettled = false
  #phase: Phase = 'waiting'
  #retried = false

  #startedAt = 0
  #startedMs = 0
  #sentMs = 0
  #firstByteMs = -1
  #wireBytes = 0
  /** Byte count when the sweep last saw progress, and the time of that. */
  #sweptBytes = -1
  #movedMs = 0

  #status = 0
  #statusLine = ''
  #rawHeaders: string[] = []
  #body = new BodyBuffer()
  /** Content-Length; NaN if the header has none. */
  #length = Number.NaN
  #maxBytes = 0
  #interims = 0

  constructor(request: ExchangeRequest, settings: ExchangeSettings, settled: (result: FetchResult) => void) {
    this.request = request
    this.#settings = settings
    this.#settled = settled
  }

  start(carrier: Carrier): void {
    const { clock } = this.#settings
    this.carrier = carrier
    this.#phase = 'connecting'
    this.#startedAt = clock.now()
    this.#startedMs = clock.monotonic()
  }

  /** Whether the request may be written. If not, the exchange is over. */
  mayBeSent(): boolean {
    const { mayBegin } = this.request
    if (mayBegin === null || mayBegin()) return true
    this.#settle(this.#failure('lease-lost', 'the host belongs to another worker by now'))
    this.#end()
    return false
  }

  // --- called by the connection

  /** The request is being written. */
  onSent(nowMs: number): void {
    this.#phase = 'header'
    this.#sentMs = nowMs
  }

  onHead({ status, statusLine, rawHeaders, length, coding }: ParsedHead): boolean {
    this.#phase = 'body'
    this.#status = status
    this.#statusLine = statusLine
    this.#rawHeaders = rawHeaders
    this.#length = length
    this.#chooseBody(coding)
    return !this.#isOver()
  }

  onData(chunk: Buffer): boolean {
    const room = this.#maxBytes - this.#body.size
    if (this.#phase === 'drain') {
      this.#maxBytes -= chunk.length
      if (room < chunk.length) this.#drop()
    } else if (chunk.length <= room) {
      this.#body.push(chunk, this.#length, this.#maxBytes)
    } else {
      if (room > 0) this.#body.push(chunk.subarray(0, room), this.#length, this.#maxBytes)
      this.#cut(this.#response('length'))
    }
    return !this.#isOver()
  }

  onComplete(): void {
    this.#settle(this.#response(null))
    this.#end()
  }

  onError(error: Error): void {
    if (this.#isOver()) return
    if (this.#isStale(error)) {
      this.#retried = true
      this.#phase = 'connecting'
      this.carrier?.again()
      return
    }
    if (!this.#isSettled) {
      const { code, message } = exchangeFailure(error, this.#progress())
      this.#settle(this.#failure(code, message))
    }
    this.#end()
  }

  /** Counts bytes; returns false if they exceed a limit and the exchange has been ended. */
  onWire(bytes: number): boolean {
    const before = this.#wireBytes
    this.#wireBytes = before + bytes
    if (before === 0) this.#firstByteMs = this.#settings.clock.monotonic() - this.#startedMs
    const { maxHeaderBytes } = this.#settings.limits
    if (this.#phase === 'header') {
      if (before <= maxHeaderBytes) return true
      this.#cut(this.#failure('header-too-large', `the response header is longer than ${maxHeaderBytes} bytes`))
    } else if (this.#phase === 'body') {
      if (before <= maxHeaderBytes + framingSlackBytes + framingFactor * this.#body.size) return true
      this.#cut(this.#failure('http-malformed', 'the framing of the body outweighs the body'))
    }
    return !this.#isOver()
  }

  onInterim(head: string): void {
    const { onEarlyHints } = this.request
    if (onEarlyHints === null || !earlyHints.test(head) || this.#interims++ >= maxInterims) return
    const links = linkFields(head)
    if (links.length > 0) onEarlyHints(links)
  }

  // --- called by the owner

  /** Ends the exchange if one of its deadlines has passed. */
  sweep(nowMs: number): void {
    const { headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs } = this.#settings.limits
    if (this.#isOver() || this.#phase === 'waiting') return
    if (nowMs - this.#startedMs >= totalTimeoutMs) {
      // The page arrived slowly: a retry would take as long, so the partial body is the result.
      if (this.#phase === 'body' && this.#body.size > 0) this.#cut(this.#response('time'))
      else this.#cut(this.#failure('total-timeout', `the exchange took longer than ${totalTimeoutMs} ms`))
    } else if (this.#phase === 'header') {
      if (nowMs - this.#sentMs < headersTimeoutMs) return
      this.#cut(this.#failure('header-timeout', `no response header within ${headersTimeoutMs} ms`))
    } else if (this.#phase === 'body' || this.#phase === 'drain') {
      if (this.#wireBytes !== this.#sweptBytes) {
        this.#sweptBytes = this.#wireBytes
        this.#movedMs = nowMs
      } else if (nowMs - this.#movedMs >= bodyTimeoutMs) {
        // A stall may be temporary: half a page is not kept if a whole one may come later.
        this.#cut(this.#failure('body-timeout', `the body stalled for ${bodyTimeoutMs} ms`))
      }
    }
  }

  /** Ends an exchange that has no connection and will get none. */
  giveUp(message: string): void {
    this.#cut(this.#failure('connect-failed', message))
  }

  // --- private

  #chooseBody(coding: string | null): void {
    const { limits, acceptsMediaType } = this.#settings
    // Partial content that was not requested is an error, not the page.
    const isSuccess = this.#status < 300 && this.#status !== 206
    this.#maxBytes = isSuccess
      ? this.request.maxBodyBytes
      : Math.min(limits.maxErrorBodyBytes, this.request.maxBodyBytes)
    if (this.#status === 204 || this.#status === 304) {
      // Settled early: the connection may still break, which is no matter.
      this.#settle(this.#response(null))
    } else if (this.#status === 205) {
      // It has no body either, but some servers send no length: the body would last until the connection ends.
      this.#settle(this.#response(null))
      this.#drain()
    } else if (coding !== null && !ownCoding.test(coding)) {
      this.#cut(this.#failure('http-malformed', 'the body has a transfer coding that was not asked for'))
    } else if (isSuccess && !this.request.anyType && !acceptsMediaType(mediaTypeOf(this.#rawHeaders))) {
      this.#settle({ kind: 'skipped', reason: 'type', ...this.#head() })
      this.#drain()
    }
  }

  /** Drains a short body, so that the connection can be kept. */
  #drain(): void {
    this.#phase = 'drain'
    this.#maxBytes = drainBytes
    if (!(this.#length <= drainBytes)) this.#drop()
  }

  /** Whether the server closed a reused connection just as we wrote to it, which isn't a failure. */
  #isStale(error: Error): boolean {
    return (
      this.#phase === 'header' &&
      this.#wireBytes === 0 &&
      // The server may have processed a POST: it is not sent twice.
      this.request.body === null &&
      !this.#retried &&
      isCut(error) &&
      this.carrier !== null &&
      this.carrier.responses > 0
    )
  }

  #progress(): 'connecting' | 'header' | 'body' {
    return this.#phase === 'connecting' || this.#phase === 'header' ? this.#phase : 'body'
  }

  #isOver(): boolean {
    return this.#phase === 'ended'
  }

  #cut(result: FetchResult): void {
    this.#settle(result)
    this.#drop()
  }

  #drop(): void {
    if (this.#phase === 'connecting') this.carrier?.drop()
    else this.carrier?.disconnect()
    this.#end()
  }

  #settle(result: FetchResult): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settled(result)
  }

  #end(): void {
    if (this.#isOver()) return
    this.#phase = 'ended'
    this.carrier?.release()
  }

  #head(): ResponseHead {
    return {
      status: this.#status,
      statusLine: this.#statusLine,
      rawHeaders: this.#rawHeaders,
      address: this.carrier?.address ?? '',
      startedAt: this.#startedAt,
      firstByteMs: this.#firstByteMs,
      totalMs: this.#settings.clock.monotonic() - this.#startedMs,
      wireBytes: this.#wireBytes,
    }
  }

  #response(truncated: 'length' | 'time' | null): FetchResult {
    const body = this.#body.size === 0 ? noBody : this.#body.take()
    return fetchResponse(this.#head(), { body, truncated })
  }

  #failure(code: ErrorCode, message: string): FetchResult {
    return {
      kind: 'failed',
      code,
      message,
      retry: errorCodes[code].retry,
      address: this.carrier?.address ?? null,
      totalMs: this.#phase === 'waiting' ? 0 : this.#settings.clock.monotonic() - this.#startedMs,
    }
  }
}

const earlyHints = /^HTTP\/\d\.\d 103(?: |\r)/

function linkFields(head: string): string[] {
  return Array.from(head.matchAll(/\r\nlink:[\t ]*([^\r]*)/gi), ([, value]) => value!)
}
