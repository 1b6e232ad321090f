import type { MessagePort } from 'node:worker_threads'
import { AppError, type ErrorCode, isAppError, type Retry } from '../../../core/errors.ts'
import { isTable, noCheck, type Offer, type QueuedRequest, queuedRequest } from '../../../core/request.ts'
import type { KnownDocument } from '../../../store/contracts/documents.ts'
import { type FetchResponse, fetchResponse, headerValue, mediaTypeOf } from '../../fetch/fetch-result.ts'
import type { PageReading } from '../visit/read-response.ts'
import { createReadingShare } from './reading-share.ts'
import type { RecordedPage } from './recorded-page.ts'
import type { Recorder } from './recorder.ts'

/**
 * Lets a less busy shard read pages that another one fetched: decoding, digest, links, and writing body and version. The shard that owns
 * the host keeps everything else: when the host is asked, handing links to their owners, and completing the request, in this order.
 * A page is
 * - sent, with its body, which then belongs to the other thread;
 * - read and recorded there; the owner gets back what it needs to know;
 * - settled, when the owner has handed its links to their owners, or dropped the page because its partition was lost. Only then does
 *   the reader treat these links as known.
 */
export type SharedReading = {
  /** Null if the page is to be read here. */
  give(page: FetchedPage): Promise<PageReading> | null
  close(): void
}

export type FetchedPage = { request: QueuedRequest; response: FetchResponse; known: KnownDocument | null }

export type SharedReadingDeps = {
  /** Index of this shard. */
  index: number
  /** `ports[n]` leads to shard n; null for this shard. */
  ports: readonly (MessagePort | null)[]
  busyOf(shard: number): number
  now(): number
  read(page: FetchedPage): Promise<PageReading>
  recorder: Recorder
  /** Called when the owners have accepted the links of a page that was read here. */
  offered(offers: readonly Offer[]): void
}

type SentError = { code: ErrorCode; message: string; retry: Retry }
type SentReading =
  | Exclude<PageReading, { kind: 'page' }>
  | (Omit<Extract<PageReading, { kind: 'page' }>, 'capture' | 'recorded'> & Omit<RecordedPage, 'settled'>)

type Message =
  | { kind: 'read'; id: number; page: FetchedPage }
  | { kind: 'reading'; id: number; reading: SentReading }
  | { kind: 'failed'; id: number; error: SentError }
  | { kind: 'settled'; ids: readonly number[]; accepted: boolean }

/** Smaller pages take longer to hand over than to read. */
const MIN_BYTES = 4_096

/** Whether another shard can read the page: reading must not need what only its own shard knows, such as tables and watches. */
function mayBeGiven({ request, response: { body, rawHeaders } }: FetchedPage): boolean {
  return (
    request.check.watch === 0 &&
    body.length >= MIN_BYTES &&
    !isTable(request) &&
    mediaTypeOf(rawHeaders) === 'text/html' &&
    headerValue(rawHeaders, 'link') === undefined
  )
}

// The runtime gives objects from another thread layouts of their own (see `queuedRequest`), so they are made anew. Only requests of a
// crawl started by hand come here, and these have no check.

function receivedOffer({ url, host, fp, parent, depth, hops, redirects, priority, rises, visit }: Offer): Offer {
  const offer: Offer = { url, host, fp, parent, depth, hops, redirects, priority, check: noCheck }
  if (rises !== undefined) offer.rises = rises
  if (visit !== undefined) offer.visit = visit
  return offer
}

/** Its body arrives as a plain array of bytes. */
function receivedPage({ request, response, known }: FetchedPage): FetchedPage {
  const { body, truncated } = response
  return {
    request: queuedRequest(receivedOffer(request), request),
    response: fetchResponse(response, {
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      truncated,
    }),
    known,
  }
}

export function createSharedReading(deps: SharedReadingDeps): SharedReading {
  const { ports } = deps
  const share = createReadingShare({ ...deps, shards: ports.length })
  const given = new Map<number, { shard: number; resolve(reading: PageReading): void; reject(error: unknown): void }>()
  let lastId = 0

  /** The ports in use. Each has the links of pages that were read here and are not settled. */
  const connected = ports.flatMap((port, shard) => {
    if (port === null) return []
    const unsettled = new Map<number, readonly Offer[]>()
    port.on('message', (message: Message) => {
      if (message.kind === 'read') void serve(port, unsettled, message.id, message.page)
      else if (message.kind === 'settled') {
        for (const id of message.ids) {
          if (message.accepted) deps.offered(unsettled.get(id) ?? [])
          unsettled.delete(id)
        }
      } else take(shard, port, message)
    })
    return [port]
  })

  async function serve(port: MessagePort, unsettled: Map<number, readonly Offer[]>, id: number, page: FetchedPage) {
    try {
      const reading = await deps.read(receivedPage(page))
      const sent = reading.kind === 'page' ? await record(reading) : reading
      if (sent.kind !== 'undecodable' && sent.offers.length > 0) unsettled.set(id, sent.offers)
      port.postMessage({ kind: 'reading', id, reading: sent } satisfies Message)
    } catch (error) {
      const { code, message, retry } = isAppError(error) ? error : new AppError('internal', String(error))
      port.postMessage({ kind: 'failed', id, error: { code, message, retry } } satisfies Message)
    }
  }

  async function record({
    capture,
    recorded: _,
    ...rest
  }: Extract<PageReading, { kind: 'page' }>): Promise<SentReading> {
    if (capture?.kind !== 'body') throw new AppError('internal', 'a page was read without a body')
    const { digest, at } = capture
    return { ...rest, outcome: await deps.recorder.add(capture), digest, at }
  }

  function take(shard: number, port: MessagePort, message: Extract<Message, { kind: 'reading' | 'failed' }>): void {
    const { id } = message
    const waiter = given.get(id)
    if (waiter === undefined) return // answered after close
    given.delete(id)
    share.note(shard, -1)
    if (message.kind === 'failed') {
      const { code, message: text, retry } = message.error
      waiter.reject(new AppError(code, text, { retry }))
      return
    }
    const { reading } = message
    const hasLinks = reading.kind !== 'undecodable' && reading.offers.length > 0
    const settled = (accepted: boolean): void => {
      if (hasLinks) port.postMessage({ kind: 'settled', ids: [id], accepted } satisfies Message)
    }
    if (reading.kind !== 'page') {
      settled(false)
      waiter.resolve(reading)
      return
    }
    const { outcome, digest, at, links, dropped, traps } = reading
    const offers = reading.offers.map(receivedOffer)
    waiter.resolve({
      kind: 'page',
      capture: null,
      recorded: { outcome, digest, at, settled },
      offers,
      links,
      dropped,
      traps,
    })
  }

  return {
    give(page) {
      if (!mayBeGiven(page)) return null
      const shard = share.next()
      const port = shard === null ? null : ports[shard]
      if (shard === null || !port) return null
      const id = ++lastId
      share.note(shard, 1)
      const { response } = page
      // Only a buffer that spans its whole ArrayBuffer can be transferred.
      const isWhole = response.body.byteLength === response.body.buffer.byteLength
      const body = isWhole ? response.body : new Uint8Array(response.body)
      return new Promise((resolve, reject) => {
        given.set(id, { shard, resolve, reject })
        const message = {
          kind: 'read',
          id,
          page: { ...page, response: { ...response, body: body as Buffer } },
        } as const
        port.postMessage(message satisfies Message, [body.buffer as ArrayBuffer])
      })
    },
    close() {
      for (const port of connected) port.close()
    },
  }
}
