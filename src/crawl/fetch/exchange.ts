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
 * It is a class because undici needs an object of callbacks per request, and closures for each would cost more.
 */
import type { Clock } from '../../core/clock.ts'
import { type ErrorCode, errorCodes } from '../../core/errors.ts'
import { BodyBuffer } from './body-buffer.ts'
import { exchangeFailure, isCut } from './failure.ts'
import type { FetchLimits } from './fetch-limits.ts'
import {
  type FetchResult,
  fetchResponse,
  headerList,
  headerValue,
  mediaTypeOf,
  type ResponseHead,
} from './fetch-result.ts'
import { fieldsOf, statusLineOf, type WireWatcher } from './response-head.ts'

/** The connection that carries the exchange, as far as the exchange needs it. */
export type Carrier = {
  readonly address: string | null
  /** Responses read on the current connection: above 0 it is a reused one. */
  readonly responses: number
  /** Drops the connection, in any state. */
  drop(): void
  /** Called when the exchange no longer needs the connection. */
  release(completed: boolean): void
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
  headers: string[]
  /** Body of a POST; null for a GET. */
  body: Buffer | null
  isPreflight: boolean
  anyType: boolean
  maxBodyBytes: number
  onEarlyHints: ((links: string[]) => void) | null
}

type Phase = 'waiting' | 'connecting' | 'header' | 'body' | 'drain' | 'ended'

/** Up to this length, draining an unwanted body is cheaper than a new connection. */
const drainBytes = 16 << 10
/** Maximum ratio of wire bytes to body bytes before it counts as an attack: one-byte chunks take six bytes each. */
const framingFactor = 4
const framingSlackBytes = 256 << 10

/** Maximum number of early hints per exchange. */
const maxInterims = 8

const cutError = new Error('cut')
const noBody = Buffer.alloc(0)

export class Exchange implements WireWatcher {
  readonly request: ExchangeRequest
  carrier: Carrier | null = null
  awaitsHead = false

  readonly #settings: ExchangeSettings
  readonly #settled: (result: FetchResult) => void
  #isSettled = false
  #phase: Phase = 'waiting'
  #abort: ((error?: Error) => void) | null = null
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
  #headText = ''
  #statusLine = ''
  #rawHeaders: string[] = []
  #body = new BodyBuffer()
  /** Content-Length; NaN if the header has none. */
  #length = Number.NaN
  #maxBytes = 0
  #isBroken = false
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

  // --- called by undici

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort
    this.#phase = 'header'
    this.#sentMs = this.#settings.clock.monotonic()
    this.awaitsHead = true
  }

  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    this.#phase = 'body'
    this.#status = status
    // Sliced from the header text that is there already, which is cheaper than a string from each buffer.
    const fields = fieldsOf(this.#headText)
    this.#rawHeaders = fields.length === rawHeaders.length ? fields : rawHeaders.map((text) => text.toString('latin1'))
    this.#length = Number(headerValue(this.#rawHeaders, 'content-length') ?? Number.NaN)
    this.#chooseBody()
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
    // A body of unknown length ends with the connection, but only if that was closed cleanly.
    if (this.#isBroken) this.#settle(this.#failure('body-short', 'the connection broke before the body ended'))
    else this.#settle(this.#response(null))
    this.#end(!this.#isBroken)
  }

  onError(error: Error): void {
    if (this.#isOver()) return
    if (this.#isStale(error)) {
      this.#retried = true
      this.#phase = 'connecting'
      this.#abort = null
      this.carrier?.again()
      return
    }
    if (!this.#isSettled) {
      const { code, message } = exchangeFailure(error, this.#progress())
      this.#settle(this.#failure(code, message))
    }
    this.#end(false)
  }

  // --- called by the connection and by the sweep

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

  onHead(head: string): void {
    this.awaitsHead = false
    this.#headText = head
    this.#statusLine = statusLineOf(head)
  }

  onInterim(head: string): void {
    const { onEarlyHints } = this.request
    if (onEarlyHints === null || !earlyHints.test(head) || this.#interims++ >= maxInterims) return
    const links = linkFields(head)
    if (links.length > 0) onEarlyHints(links)
  }

  onMalformed(message: string): void {
    this.#cut(this.#failure('http-malformed', message))
  }

  onBroken(): void {
    this.#isBroken = true
  }

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

  #chooseBody(): void {
    const { limits, acceptsMediaType } = this.#settings
    // Partial content that was not requested is an error, not the page.
    const isSuccess = this.#status < 300 && this.#status !== 206
    this.#maxBytes = isSuccess
      ? this.request.maxBodyBytes
      : Math.min(limits.maxErrorBodyBytes, this.request.maxBodyBytes)
    if (this.#status === 204 || this.#status === 304) {
      // Settled early: a 304 may state the length of the body it saves, which undici treats as a mismatch.
      this.#settle(this.#response(null))
    } else if (this.#status === 205) {
      // It has no body either, but some servers send no length: the body would last until the connection ends.
      this.#settle(this.#response(null))
      this.#drain()
    } else if (hasForeignCoding(this.#rawHeaders)) {
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
    // Both lead to onError, which ends the exchange, unless there was no connection at all.
    if (this.#abort === null) this.carrier?.drop()
    else this.#abort(cutError)
    this.#end(false)
  }

  #settle(result: FetchResult): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settled(result)
  }

  #end(completed: boolean): void {
    if (this.#isOver()) return
    this.#phase = 'ended'
    this.#abort = null
    this.carrier?.release(completed)
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

/** Only `chunked` is decoded, and nothing else was requested: with another coding, the body isn't the page. */
function hasForeignCoding(rawHeaders: readonly string[]): boolean {
  const codings = headerList(rawHeaders, 'transfer-encoding')
  return codings !== undefined && !/^(?:identity|chunked)?$/i.test(codings)
}

const earlyHints = /^HTTP\/\d\.\d 103(?: |\r)/

function linkFields(head: string): string[] {
  return Array.from(head.matchAll(/\r\nlink:[\t ]*([^\r]*)/gi), ([, value]) => value!)
}
