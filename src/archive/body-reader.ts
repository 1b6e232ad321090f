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
 * What the archive holds of a version: its header and body, or why there is no body. Damage is returned, not thrown (only a store that
 * doesn't answer throws), and a body that doesn't match its fingerprint is never returned.
 *
 * Files are compressed and rewritten while they are read, so a pointer read a moment ago may lead to a missing file or to another place
 * in it. A failed read therefore reloads the rows, and counts as damage only if they are unchanged.
 */
export type BodyReader = {
  read(version: Version): Promise<VersionBody>
  /** For text processing: a document such as PDF is converted to an HTML page, anything else is returned as it is. */
  readText(version: Version): Promise<TextBody>
}

export type VersionBody =
  | {
      kind: 'body'
      /** Status line and fields, each ending with CRLF, octets as latin1; the version's own even if the body is another's. '' for none. */
      header: string
      contentType: string | undefined
      /** Complete, with content encodings removed. */
      body: Buffer
      /** The version's own record, uncompressed; null if it has none, as its body is kept under another version. */
      record: Buffer | null
    }
  | { kind: 'absent'; why: 'dropped' | 'lost' | 'none'; header: string }
  | { kind: 'damaged'; message: string }

export type TextBody =
  | Exclude<VersionBody, { kind: 'body' }>
  | (Extract<VersionBody, { kind: 'body' }> & {
      /** Why a document of a convertible type can't be read; body and type are then as archived. */
      unreadable?: MediaFailure
    })

export type BodyReaderDeps = {
  versions: Pick<VersionStore, 'version'>
  objects: Pick<ObjectStore, 'read'>
  media?: MediaReader
  /** By default computed by this thread. */
  digestOf?(body: Buffer): Buffer | Promise<Buffer>
}

/** Shared by all readers of a thread. It holds no resources until it is needed. */
let shared: MediaReader | null = null

export function sharedMedia(): MediaReader {
  shared ??= createMediaReader()
  return shared
}

/** Compression and rewriting of a file may each overtake one read; more failures are no longer bad luck. */
const maxAttempts = 4

export function createBodyReader(deps: BodyReaderDeps): BodyReader {
  const { versions, objects, media = sharedMedia(), digestOf = bodyDigest } = deps

  async function readOnce(version: Version, original: Version): Promise<VersionBody> {
    const own = version.record === null ? null : await objects.read(version.record)
    const content = own === null ? null : contentOf(own)
    const header = content === null ? tidyHeader(version.header) : content.header
    if (version.body !== 'kept') return { kind: 'absent', why: version.body, header }
    const holder = original.id === version.id ? content : await bodyOf(original)
    if (holder === null) throw new Error('the catalogue says that the body is kept, and names no record')
    const body = await decoded(holder, version)
    if (!(await digestOf(body)).equals(version.digest)) throw new Error('the body does not match its fingerprint')
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
      // The given row may be stale; those from the second attempt on are not.
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

/** If only a header could be returned anyway, a damaged record loses no more than that. */
function unreadable(version: Version, message: string): VersionBody {
  if (version.body === 'kept') return { kind: 'damaged', message }
  return { kind: 'absent', why: version.body, header: tidyHeader(version.header) }
}

function placesOf(version: Version, original: Version | null): string {
  return JSON.stringify([version.body, version.originalId, version.record, original?.record])
}

/** Content of a record that is alone in its buffer, found without a stream. */
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

async function decoded({ encodings, body }: RecordContent, { size }: Version): Promise<Buffer> {
  // With two encodings, the intermediate bytes may be more than those of the body.
  const maxBytes = Math.max(size, 2 * body.length + 64 * 1024)
  const result = await decodeBody(body, encodings, maxBytes)
  if (result.kind === 'failed' && size > 0) throw new Error(`the body can't be decoded: ${result.message}`)
  // A body truncated when it was fetched is truncated at the same place now.
  return result.kind === 'failed' ? Buffer.alloc(0) : result.body.subarray(0, size)
}

function tidyHeader(header: string): string {
  const text = header.trimEnd()
  return text === '' ? '' : `${text}\r\n`
}
