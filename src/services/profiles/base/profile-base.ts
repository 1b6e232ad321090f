import type { Profile, ProfileUrd } from '../../../core/profile.ts'
import type { ProfileQueryResult } from '../../../core/reports/profile-report.ts'
import { startThread, type ThreadHost } from '../../../core/work/thread-host.ts'
import { profileElement } from '../../../xml/profile/profile.ts'
import { urdElement } from '../../../xml/profile/urd.ts'
import { translateXql, xqlFault } from '../../../xml/xql/xql.ts'
import { writtenUrd } from '../values/urd-values.ts'
import type { FromBaseWorker, ToBaseWorker } from './profile-base-worker.ts'

/**
 * Queries in XPath 1.0 or XQL over one document: the profile base (`profileBaseText`), or anything else written as XML.
 *
 * A short query can take forever, and any amount of memory. So queries run one at a time in a thread that is started with
 * the first one: it answers within the time limit or is terminated, and the next query starts another. The thread caches
 * the most recently used documents until the caller asks with another version of the base; a document is built only if
 * the thread doesn't have it.
 */
export type ProfileBase = {
  query(base: QueriedBase, query: string): Promise<ProfileQueryResult>
  /** No query may follow. Waits for the current ones. */
  end(): Promise<void>
}

/** The document to be queried, or the part of it that is visible to a user. The same key and version mean the same text. */
export type QueriedBase = {
  key: string
  version: number
  text(): AsyncIterable<string>
}

export type ProfileBaseLimits = {
  timeLimitMs: number
  /** Size of the result. */
  maxNodes: number
  maxResultChars: number
  /** Size of all documents in the thread. Parsed, they take about five times as much. */
  maxBaseBytes: number
  /** Maximum number of waiting queries; more are rejected. */
  maxWaiting: number
}

const usualLimits: ProfileBaseLimits = {
  timeLimitMs: 5000,
  maxNodes: 1000,
  maxResultChars: 10_000_000,
  maxBaseBytes: 64_000_000,
  maxWaiting: 100,
}

type Kept = { version: number; bytes: number }

export function createProfileBase(given: Partial<ProfileBaseLimits> = {}): ProfileBase {
  const limits = { ...usualLimits, ...given }
  /** Documents in the thread, the most recently used last. */
  const kept = new Map<string, Kept>()
  let thread: ThreadHost<ToBaseWorker> | null = null
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  /** Null if the thread did not answer: it exceeded the time limit, or crashed. */
  async function ask(message: ToBaseWorker, timeLimitMs: number | null): Promise<FromBaseWorker | null> {
    if (thread === null || thread.hasEnded())
      thread = startThread(new URL('./profile-base-worker.ts', import.meta.url), {
        data: undefined,
        isBackground: true,
      })
    const transfer = message.kind === 'load' ? [message.xml.buffer] : []
    const options = timeLimitMs === null ? { transfer } : { transfer, timeLimitMs }
    return thread.request<FromBaseWorker>(message, options).catch(() => null)
  }

  function drop(key: string): void {
    if (thread?.hasEnded() === false) thread.post({ kind: 'drop', key })
  }

  async function load(base: QueriedBase): Promise<ProfileQueryResult | null> {
    const { key, version } = base
    if (thread?.hasEnded() !== false) kept.clear()
    const known = kept.get(key)
    kept.delete(key)
    if (known?.version === version) {
      kept.set(key, known)
      return null
    }
    if (known !== undefined) drop(key)
    const xml = await bytesOf(base.text(), limits.maxBaseBytes)
    if (xml === null)
      return { kind: 'fault', message: `what is queried is larger than ${limits.maxBaseBytes} bytes as XML` }
    const bytes = xml.length
    makeRoom(bytes)
    const answer = await ask({ kind: 'load', key, xml }, null)
    if (answer === null) return { kind: 'fault', message: 'not enough memory for what is queried' }
    kept.set(key, { version, bytes })
    return null
  }

  function makeRoom(bytes: number): void {
    let sum = bytes
    for (const { bytes: each } of kept.values()) sum += each
    for (const [key, { bytes: each }] of kept) {
      if (sum <= limits.maxBaseBytes) return
      drop(key)
      kept.delete(key)
      sum -= each
    }
  }

  async function run(base: QueriedBase, xpath: string): Promise<ProfileQueryResult> {
    const failed = await load(base)
    if (failed !== null) return failed
    const answer = await ask({ kind: 'query', key: base.key, xpath, limits }, limits.timeLimitMs)
    if (answer?.kind === 'answer') return answer.answer
    if (answer?.kind === 'invalid') return { kind: 'fault', message: xqlFault(xpath) ?? answer.message }
    return { kind: 'fault', message: `the query took more than ${limits.timeLimitMs} ms or too much memory` }
  }

  return {
    async query(base, query) {
      const message = queryError(query)
      if (message !== null) return { kind: 'fault', message }
      const translated = translateXql(query)
      if (translated.kind === 'invalid') return { kind: 'fault', message: translated.message }
      const { xpath } = translated
      const deep = nestingError(xpath)
      if (deep !== null) return { kind: 'fault', message: deep }
      if (waiting >= limits.maxWaiting)
        return { kind: 'fault', message: 'too many queries are waiting; try again later' }
      waiting++
      const result = last.then(() => run(base, xpath)).finally(() => waiting--)
      // The next query runs however this one ends.
      last = result.catch(() => undefined)
      return result
    },
    async end() {
      await last
      await thread?.terminate()
    },
  }
}

/** The profile base as one document, `<base><profiles>…</profiles><urds>…</urds></base>`. */
export async function* profileBaseText(
  profiles: Iterable<Profile> | AsyncIterable<Profile>,
  urds: Iterable<ProfileUrd> | AsyncIterable<ProfileUrd>,
): AsyncGenerator<string> {
  yield '<base>\n<profiles>\n'
  for await (const profile of profiles) yield profileElement(profile)
  yield '</profiles>\n<urds>\n'
  for await (const urd of urds) yield urdElement(writtenUrd(urd))
  yield '</urds>\n</base>\n'
}

/** Null if it would be too large. */
async function bytesOf(texts: AsyncIterable<string>, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const text of texts) {
    const piece = Buffer.from(text)
    bytes += piece.length
    if (bytes > maxBytes) return null
    pieces.push(piece)
  }
  // A buffer of its own, so that it can be transferred to a thread.
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const MAX_LENGTH = 1000
/** The engine recurses into brackets, on a small stack. */
const MAX_NESTING = 30

/** Why a query is rejected without trying it, or null. */
function queryError(query: string): string | null {
  if (query.trim() === '') return 'the query is empty'
  if (query.length > MAX_LENGTH) return `the query has ${query.length} characters; the maximum is ${MAX_LENGTH}`
  if (/[\p{Cs}\0]/u.test(query)) return 'the query contains a character that is not allowed in XML'
  return nestingError(query)
}

function nestingError(xpath: string): string | null {
  let depth = 0
  // Quoted text is skipped; the engine rejects unbalanced quotes.
  for (const [mark] of xpath.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/[([)\]]/g)) {
    depth += mark === '(' || mark === '[' ? 1 : -1
    if (depth > MAX_NESTING) return `brackets are nested more than ${MAX_NESTING} levels deep`
  }
  return null
}
