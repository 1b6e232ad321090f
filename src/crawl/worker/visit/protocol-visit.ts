import type { Clock } from '../../../core/clock.ts'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { QueuedRequest } from '../../../core/request.ts'
import { type Access, accessOf, withAccess, withoutAccess } from '../../../core/url/access.ts'
import { hostKey } from '../../../core/url/partition.ts'
import type { DocumentKey, DocumentStore, KnownDocument } from '../../../store/contracts/documents.ts'
import type { Item, List, Protocol, ProtocolLimits, Secret, Session } from '../../fetch/protocol.ts'
import type { Secrets } from '../../fetch/secrets.ts'
import type { HostSignal } from '../../frontier/politeness.ts'
import type { ProtocolReading, ReadItem, VisitResult } from './visit-result.ts'

export type ProtocolVisitOptions = {
  /** The protocol of a URL; null for plain HTTP. */
  protocolOf(url: string, access: Access): Promise<Protocol | null>
  secrets: Secrets | null
  documents: Pick<DocumentStore, 'find' | 'links'>
  keyOf(url: string): DocumentKey
  resolve(host: string): Promise<string>
  limits: ProtocolLimits
  totalTimeoutMs: number
  clock: Clock
  /** Aborted when the crawl stops. */
  stopping: AbortSignal
}

/** Limits of one visit; the rest follows with the next. */
const MAX_BYTES = 32 << 20
const MAX_READS = 500
/** Visits that wait for a browser are postponed by this, so that they neither occupy a fetcher nor run into their timeout. */
const BROWSER_BUSY_MS = 500
/** Prefix of the cursor of a list with more to come. */
const MORE = 'more '

const untouched: HostSignal = { kind: 'untouched' }

/** Reads sources of protocols other than plain HTTP: lists what there is, and reads what is not kept yet. */
export function createProtocolVisit(options: ProtocolVisitOptions) {
  const { documents, clock } = options

  async function secretFor(protocol: Protocol, access: Access): Promise<Secret | null> {
    if (access.credentials === '') {
      if (protocol.can.credentials === 'required')
        throw new AppError('sign-in-failed', 'this source asks for credentials, and has none')
      return null
    }
    const secret = (await options.secrets?.open(access.credentials)) ?? null
    if (secret === null) throw new AppError('sign-in-failed', 'the credentials of this source do not exist any more')
    return secret
  }

  async function openSession(protocol: Protocol, request: QueuedRequest, signal: AbortSignal): Promise<Session> {
    const access = accessOf(request.url)
    const secret = await secretFor(protocol, access)
    const { limits, resolve } = options
    try {
      const session = await protocol.open({
        url: withoutAccess(request.url),
        ...{ secret, resolve, signal, limits, clock },
      })
      if (secret !== null) await options.secrets?.noteUsed(access.credentials)
      return session
    } catch (error) {
      if (secret !== null && isAppError(error, 'sign-in-failed'))
        await options.secrets?.noteFailed(access.credentials, error.message)
      throw error
    }
  }

  /** Adds what is known about each item. */
  async function lookUp(items: readonly Item[], access: Access): Promise<Omit<ReadItem, 'result'>[]> {
    const named = items.map((item) => {
      const url = withAccess(item.url, access)
      return { item, url, key: options.keyOf(url) }
    })
    const known = await documents.find(named.map(({ key }) => key))
    return named.map((each, at) => ({ ...each, known: known[at] ?? null }))
  }

  async function readItems(
    session: Session,
    items: readonly Omit<ReadItem, 'result'>[],
    isMissed: (known: KnownDocument) => boolean,
  ): Promise<{ read: ReadItem[]; bytes: number; isCut: boolean; failure: AppError | null }> {
    const read: ReadItem[] = []
    let bytes = 0
    let reads = 0
    for (const each of items) {
      const { item, known } = each
      if (known !== null && isKept(known, item) && !isMissed(known)) {
        read.push({ ...each, result: { kind: 'kept' } })
        continue
      }
      if (bytes >= MAX_BYTES || reads >= MAX_READS) return { read, bytes, isCut: true, failure: null }
      try {
        const body = item.body ?? (await session.read(item))
        // A body that came with the list costs no read.
        if (item.body === undefined) reads++
        bytes += body.body.length + (body.parts ?? []).reduce((sum, part) => sum + part.body.body.length, 0)
        read.push({ ...each, result: { kind: 'body', body } })
      } catch (error) {
        const failure = asAppError(error)
        if (failure.retry === 'later') return { read, bytes, isCut: true, failure }
        read.push({ ...each, result: { kind: 'failed', error: failure } })
      }
    }
    return { read, bytes, isCut: false, failure: null }
  }

  async function read(
    protocol: Protocol,
    request: QueuedRequest,
    known: KnownDocument | null,
    isMissed: (known: KnownDocument) => boolean,
  ): Promise<ProtocolReading> {
    const startedAt = clock.now()
    const started = clock.monotonic()
    const { signal, clear } = createDeadline(options.totalTimeoutMs, options.stopping)
    let session: Session | null = null
    try {
      session = await openSession(protocol, request, signal)
      const kept = known !== null && known.versionId !== 0 ? known : null
      const found = await session.look(kept === null || request.check.first ? '' : cursorOf(kept))
      const items = await lookUp(found.kind === 'item' ? [found.item] : found.items, accessOf(request.url))
      const { read, bytes, isCut, failure } = await readItems(session, items, isMissed)
      const list = found.kind === 'item' || isCut ? null : found
      const missing = list?.isWhole === true && kept !== null ? await missingIn(list, kept) : []
      const hasMore = found.kind === 'list' && failure === null && (isCut || found.hasMore)
      const { address } = session
      const totalMs = clock.monotonic() - started
      return { address, startedAt, totalMs, bytes, list, items: read, missing, hasMore, failure }
    } finally {
      clear()
      await session?.close()
    }
  }

  async function missingIn({ items, lists }: List, kept: KnownDocument): Promise<string[]> {
    const listed = new Set([...items, ...lists].map(({ url }) => url))
    const [links = []] = await documents.links([kept])
    return links.filter((url) => !listed.has(url))
  }

  return {
    protocolOf: (url: string): Promise<Protocol | null> => options.protocolOf(withoutAccess(url), accessOf(url)),
    /** `isMissed`: whether the watch needs the body of a kept version that is not there any more. */
    async visit(
      protocol: Protocol,
      request: QueuedRequest,
      known: KnownDocument | null,
      isMissed: (known: KnownDocument) => boolean,
    ): Promise<VisitResult> {
      const started = clock.monotonic()
      // Sources on this machine need no politeness.
      const isLocal = hostKey(request.url).endsWith('.localhost')
      const signalOf = (totalMs: number, isFailed: boolean): HostSignal =>
        isLocal ? untouched : { kind: isFailed ? 'failed' : 'answered', totalMs }
      try {
        const reading = await read(protocol, request, known, isMissed)
        const { address, totalMs } = reading
        return {
          kind: 'read',
          ...{ reading, known, status: STATUS_READ, address },
          signal: signalOf(totalMs, reading.failure !== null),
        }
      } catch (error) {
        const totalMs = clock.monotonic() - started
        const failure = asAppError(error)
        const { code, message, retry } = failure
        if (code === 'browser-busy')
          return { kind: 'postponed', signal: untouched, until: clock.monotonic() + BROWSER_BUSY_MS }
        if (code === 'address-refused')
          return { kind: 'skipped', reason: 'address', status: 0, address: '', signal: untouched }
        if (code === 'not-found') return { kind: 'vanished', message, known, signal: signalOf(totalMs, false) }
        const isOurs = code === 'sign-in-failed' || code === 'url-invalid' || code === 'browser-missing'
        const signal = isOurs ? untouched : signalOf(totalMs, retry === 'later')
        return { kind: 'failed', code, message, retry: retry === 'later', status: 0, address: '', signal }
      }
    },
  }
}

export type ProtocolVisits = ReturnType<typeof createProtocolVisit>

/** HTTP statuses for other protocols: 200 for what was read, 404 for what is not there. */
export const STATUS_READ = 200
export const STATUS_GONE = 404

/** The validator stored with a list. */
export const validatorOf = ({ cursor, hasMore }: List): string => (hasMore ? MORE + cursor : cursor)

function cursorOf({ etag }: KnownDocument): string {
  return etag.startsWith(MORE) ? etag.slice(MORE.length) : etag
}

function isKept({ versionId, etag, truncated }: KnownDocument, { validator }: Item): boolean {
  return versionId !== 0 && validator !== '' && etag === validator && truncated !== 'time'
}

/** A signal that is aborted after the timeout, or when the crawl stops. */
function createDeadline(timeoutMs: number, stopping: AbortSignal): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const abort = (): void => controller.abort(new DOMException('reading took too long', 'TimeoutError'))
  const timer = setTimeout(abort, timeoutMs)
  stopping.addEventListener('abort', abort)
  if (stopping.aborted) abort()
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      stopping.removeEventListener('abort', abort)
    },
  }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return new AppError('total-timeout', 'reading took longer than the timeout')
  // A fault inside the protocol must not end the crawl, and the message of its library may quote a password.
  const name = error instanceof Error ? error.name : typeof error
  return new AppError('protocol-failed', `reading failed (${name})`, { cause: error })
}
