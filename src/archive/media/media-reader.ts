import { isAppError } from '../../core/errors.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { bodyDigest } from '../../core/url/fingerprint.ts'
import { startThread, type ThreadHost } from '../../core/work/thread-host.ts'
import type { MediaFailure } from './converter.ts'
import { type MediaDocument, type MediaKind, mediaKindOf } from './media-type.ts'
import type { ConverterReply, ConverterRequest } from './serve-converters.ts'

/**
 * Converts documents that are not text, such as PDF, to a simple HTML page. This happens in a thread, one document at a time, as libraries
 * that read untrusted input may loop or exhaust memory. In that case the thread is terminated, the document has no text, and the next
 * one gets a new thread. The thread is started on first use and stopped after some idle time.
 *
 * Each document that has to be aborted halves the time limit of its host, until one can be read: a host can't keep others waiting for long.
 */
export type MediaReader = {
  /** Whether the text of a document has to be converted from its body. Costs next to nothing for pages and texts. */
  converts(document: MediaDocument): boolean
  /** Never rejects because of a bad document. */
  read(document: MediaDocument & { digest?: Uint8Array }): Promise<MediaText>
  /** The same, or a page with only title and links if that is less work. */
  readLinks(document: MediaDocument): Promise<MediaText>
  close(): Promise<void>
}

export type MediaText =
  | { kind: 'converted'; body: Buffer; contentType: string }
  /** It is already text, or its type has none. */
  | { kind: 'none' }
  | { kind: 'failed'; reason: MediaFailure; message: string }

export type MediaOptions = Partial<MediaLimits> & {
  /** Module of the thread. */
  entry?: URL
}

export type MediaLimits = {
  /** Larger documents are not read. */
  maxBodyBytes: number
  /** Maximum size of the resulting page. */
  maxPageBytes: number
  timeLimitMs: number
  /** Memory limit of the thread, of all kinds of memory. */
  maxMemoryBytes: number
  /** Maximum number of documents waiting. */
  maxWaiting: number
  idleMs: number
  /** Size of the cache of pages. */
  cacheBytes: number
}

/** `linksOnly`: only title and links are needed. */
type Asked = MediaDocument & { linksOnly: boolean }

const usualLimits: MediaLimits = {
  maxBodyBytes: 64 * 1024 * 1024,
  maxPageBytes: 8 * 1024 * 1024,
  timeLimitMs: 20_000,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxWaiting: 1000,
  idleMs: 60_000,
  cacheBytes: 16 * 1024 * 1024,
}

const usualEntry = new URL('./converter-thread.ts', import.meta.url)
const memoryCheckMs = 200
const leastTimeMs = 500
const maxStrikes = 10
const maxStruckHosts = 10_000
const maxFailures = 1000

export function createMediaReader({ entry = usualEntry, ...given }: MediaOptions = {}): MediaReader {
  const limits = { ...usualLimits, ...given }
  const remembered = createTextCache(limits.cacheBytes)
  const inProgress = new Map<string, Promise<MediaText>>()
  const strikes = new Map<string, number>()
  let thread: ThreadHost<ConverterRequest> | null = null
  let idle: NodeJS.Timeout | undefined
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  function running(): ThreadHost<ConverterRequest> {
    clearTimeout(idle)
    if (thread === null || thread.hasEnded()) {
      const maxOldGenerationSizeMb = Math.ceil(limits.maxMemoryBytes / 2 ** 20)
      thread = startThread<ConverterRequest>(entry, {
        data: undefined,
        isBackground: true,
        resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      })
    }
    return thread
  }

  async function stop(): Promise<void> {
    const ending = thread
    thread = null
    await ending?.terminate()
  }

  function strike(host: string, isCutOff: boolean): void {
    const before = strikes.get(host) ?? 0
    strikes.delete(host)
    if (!isCutOff) return
    if (strikes.size >= maxStruckHosts) strikes.delete(strikes.keys().next().value!)
    strikes.set(host, Math.min(maxStrikes, before + 1))
  }

  async function convert(media: MediaKind, document: Asked): Promise<ConverterReply> {
    const { body, contentType, url, linksOnly } = document
    const host = hostOf(url)
    const converting = running()
    let usesTooMuch = false
    const timer = setInterval(() => {
      const check = (bytes: number): void => {
        if (bytes <= limits.maxMemoryBytes || usesTooMuch) return
        usesTooMuch = true
        void converting.terminate()
      }
      converting.memoryBytes().then(check, () => {}) // the thread has ended, which the request reports
    }, memoryCheckMs).unref()
    try {
      await converting.request({ kind: 'load', media, linksOnly })
      const own = new Uint8Array(body)
      const options = { url, contentType: contentType ?? '', maxBytes: limits.maxPageBytes }
      const timeLimitMs = Math.max(leastTimeMs, limits.timeLimitMs / 2 ** (strikes.get(host) ?? 0))
      const reply = await converting.request<ConverterReply>(
        { kind: 'convert', media, linksOnly, body: own, options },
        { timeLimitMs, transfer: [own.buffer] },
      )
      strike(host, false)
      return reply
    } catch (error) {
      strike(host, true)
      const message = error instanceof Error ? error.message : String(error)
      if (isAppError(error, 'took-too-long')) return { kind: 'failed', reason: 'too-long', message }
      const { code } = error as NodeJS.ErrnoException
      if (usesTooMuch || code === 'ERR_WORKER_OUT_OF_MEMORY') return { kind: 'failed', reason: 'too-large', message }
      return { kind: 'failed', reason: 'damaged', message }
    } finally {
      clearInterval(timer)
      idle = setTimeout(() => void stop(), limits.idleMs).unref()
    }
  }

  async function next(key: string, kind: MediaKind, document: Asked): Promise<MediaText> {
    const reply = await convert(kind, document)
    const text: MediaText =
      reply.kind === 'page'
        ? { kind: 'converted', body: bufferOf(reply.html), contentType: 'text/html; charset=utf-8' }
        : reply
    remembered.put(key, text)
    return text
  }

  async function read(given: Asked & { digest?: Uint8Array }): Promise<MediaText> {
    // Access details must not show in a page.
    const document = { ...given, url: withoutAccess(given.url) }
    const kind = mediaKindOf(document)
    if (kind === null) return { kind: 'none' }
    const { length } = document.body
    if (length > limits.maxBodyBytes) return { kind: 'failed', reason: 'too-large', message: `it has ${length} bytes` }
    const digest = Buffer.from(document.digest ?? bodyDigest(document.body)).toString('base64')
    const key = JSON.stringify([digest, kind, document.contentType, document.url, document.linksOnly])
    const known = remembered.get(key) ?? inProgress.get(key)
    if (known !== undefined) return known
    if (waiting >= limits.maxWaiting) return { kind: 'failed', reason: 'too-busy', message: `${waiting} are waiting` }
    waiting++
    const reading = last
      .then(() => next(key, kind, document))
      .finally(() => {
        waiting--
        inProgress.delete(key)
      })
    inProgress.set(key, reading)
    last = reading.catch(() => {}) // the next one runs however this one ends
    return reading
  }

  return {
    converts: (document) => mediaKindOf(document) !== null,
    read: (document) => read({ ...document, linksOnly: false }),
    readLinks: (document) => read({ ...document, linksOnly: true }),
    async close() {
      clearTimeout(idle)
      await stop()
    },
  }
}

type TextCache = { get(key: string): MediaText | undefined; put(key: string, text: MediaText): void }

/** An LRU cache. Failures have no size of their own and count as a share of it, which bounds their number. */
function createTextCache(maxBytes: number): TextCache {
  const texts = new Map<string, MediaText>()
  let bytes = 0
  const sizeOf = (text: MediaText): number => (text.kind === 'converted' ? text.body.length : maxBytes / maxFailures)
  return {
    get(key) {
      const text = texts.get(key)
      if (text === undefined) return undefined
      texts.delete(key)
      texts.set(key, text)
      return text
    },
    put(key, text) {
      texts.set(key, text)
      bytes += sizeOf(text)
      for (const [oldest, old] of texts) {
        if (bytes <= maxBytes) break
        texts.delete(oldest)
        bytes -= sizeOf(old)
      }
    },
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
}

function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ''
}
