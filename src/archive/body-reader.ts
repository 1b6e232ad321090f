import { isAppError } from '../core/errors.ts'
import { decodeBody } from '../core/http/decode-body.ts'
import { bodyDigest } from '../core/url/fingerprint.ts'
import { parseRecordHead } from '../core/warc/record-head.ts'
import type { ObjectStore } from '../store/contracts/objects.ts'
import type { Version, VersionStore } from '../store/contracts/versions.ts'
import type { MediaFailure } from './media/converter.ts'
import { createMediaReader, type MediaReader } from './media/media-reader.ts'
import { type RecordContent, recordContent } from './warc/record-content.ts'

/**
 * What the archive holds of a version: header, body, or why there is none. Nothing is thrown for damage (only where the store does not
 * answer), and a body that does not match its fingerprint is never given.
 *
 * Files are compressed and rewritten while they are read. A pointer that was read a moment ago may lead to a file that is gone,
 * or to another place in it. So a failed read looks at the rows again, and only rows that stay the same make it damage.
 */
export type BodyReader = {
  read(version: Version): Promise<VersionBody>
  /** For what is made of its text: a document such as PDF comes as a page in HTML, anything else as it is. */
  readText(version: Version): Promise<TextBody>
}

export type VersionBody =
  | {
      kind: 'body'
      /** Status line and fields, each ended by CRLF, as octets in latin1; the version's own even where the body is another's. '' for none. */
      header: string
      contentType: string | undefined
      /** Whole and without content encodings. */
      body: Buffer
      /** The version's own record, uncompressed; null where the body is kept under another version and no reference is. */
      record: Buffer | null
    }
  | { kind: 'absent'; why: 'dropped' | 'lost' | 'none'; header: string }
  | { kind: 'damaged'; message: string }

export type TextBody =
  | Exclude<VersionBody, { kind: 'body' }>
  | (Extract<VersionBody, { kind: 'body' }> & {
      /** Why a document whose type has a text can't be read; then body and type are as they were kept. */
      unreadable?: MediaFailure
    })

export type BodyReaderDeps = {
  versions: Pick<VersionStore, 'version'>
  objects: Pick<ObjectStore, 'read'>
  media?: MediaReader
}

/** One for all readers of a thread: it has nothing of its own before it is needed. */
let shared: MediaReader | null = null

export function sharedMedia(): MediaReader {
  shared ??= createMediaReader()
  return shared
}

/** Both the compression and the rewriting of a file may overtake one read; more than that is not bad luck any more. */
const maxAttempts = 4

export function createBodyReader({ versions, objects, media = sharedMedia() }: BodyReaderDeps): BodyReader {
  async function readOnce(version: Version, original: Version): Promise<VersionBody> {
    const own = version.record === null ? null : await objects.read(version.record)
    const content = own === null ? null : contentOf(own)
    const header = content === null ? tidyHeader(version.header) : content.header
    if (version.body !== 'kept') return { kind: 'absent', why: version.body, header }
    const holder = original.id === version.id ? content : await bodyOf(original)
    if (holder === null) throw new Error('the catalogue says that the body is kept, and names no record')
    const body = await decoded(holder, version)
    const contentType = content?.contentType ?? version.type
    return { kind: 'body', header, contentType: contentType === '' ? undefined : contentType, body, record: own }
  }

  async function bodyOf({ record }: Version): Promise<RecordContent | null> {
    return record === null ? null : contentOf(await objects.read(record))
  }

  async function originalOf(version: Version): Promise<Version> {
    if (version.body !== 'kept' || version.originalId === version.id) return version
    const original = await versions.version(version.originalId)
    if (original === null) throw new Error(`the body is kept under version ${version.originalId}, which is not there`)
    return original
  }

  async function read(given: Version): Promise<VersionBody> {
    let version = given
    let before = ''
    for (let attempt = 1; ; attempt++) {
      let message: string
      let original: Version | null = null
      try {
        original = await originalOf(version)
        return await readOnce(version, original)
      } catch (error) {
        // A store that does not answer says nothing about what it keeps.
        if (isAppError(error) && error.retry === 'later') throw error
        message = error instanceof Error ? error.message : String(error)
      }
      const now = placesOf(version, original)
      // The row that was handed in may be old; those of the second attempt are not.
      if (attempt === maxAttempts || (attempt > 1 && now === before)) return unreadable(version, message)
      before = now
      const again = await versions.version(version.id)
      if (again === null) return { kind: 'absent', why: 'dropped', header: tidyHeader(version.header) }
      version = again
    }
  }

  return {
    read,
    async readText(version) {
      const kept = await read(version)
      if (kept.kind !== 'body') return kept
      const document = { body: kept.body, contentType: kept.contentType, url: version.url }
      if (!media.converts(document)) return kept
      const text = await media.read({ ...document, digest: version.digest })
      if (text.kind === 'failed') return { ...kept, unreadable: text.reason }
      return text.kind === 'none' ? kept : { ...kept, body: text.body, contentType: text.contentType }
    },
  }
}

/** Where nothing but a header is to be had, a damaged record loses no more than that. */
function unreadable(version: Version, message: string): VersionBody {
  if (version.body === 'kept') return { kind: 'damaged', message }
  return { kind: 'absent', why: version.body, header: tidyHeader(version.header) }
}

function placesOf(version: Version, original: Version | null): string {
  return JSON.stringify([version.body, version.originalId, version.record, original?.record])
}

/** What is in a record that is alone in its buffer: no stream is needed to find it. */
function contentOf(record: Buffer): RecordContent {
  const end = record.indexOf('\r\n\r\n')
  if (end < 0) throw new Error('the record has no header')
  const parsed = parseRecordHead(record.subarray(0, end))
  if (parsed.kind === 'malformed') throw new Error(parsed.reason)
  const start = end + 4
  const { blockLength } = parsed.head
  if (start + blockLength > record.length) throw new Error('the record is cut off')
  const content = recordContent(parsed.head, record.subarray(start, start + blockLength))
  if (content === null) throw new Error('the record holds no HTTP response')
  return content
}

async function decoded({ encodings, body }: RecordContent, { size, digest }: Version): Promise<Buffer> {
  // Of two encodings the inner one's bytes may be more than those of the body.
  const maxBytes = Math.max(size, 2 * body.length + 64 * 1024)
  const result = await decodeBody(body, encodings, maxBytes)
  if (result.kind === 'failed' && size > 0) throw new Error(`the body can't be decoded: ${result.message}`)
  // What was cut off when it was fetched is cut off at the same place now.
  const bytes = result.kind === 'failed' ? Buffer.alloc(0) : result.body.subarray(0, size)
  if (!bodyDigest(bytes).equals(digest)) throw new Error('the body does not match its fingerprint')
  return bytes
}

function tidyHeader(header: string): string {
  const text = header.trimEnd()
  return text === '' ? '' : `${text}\r\n`
}
