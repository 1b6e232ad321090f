import { parseRecordHead, type WarcHeaders } from '../../core/warc/record-head.ts'
import { matchesDigest, parseDigest } from './digest.ts'
import { payloadsOf } from './record-content.ts'
import type { ArchiveRecord } from './record-reader.ts'

export type CheckResult = { kind: 'ok' } | { kind: 'damaged'; reason: string }

const dateFormat =
  /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,9})?)?Z)?)?)?$/
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;|\s*$)/
const singleField =
  /^(?:content-type|warc-(?:type|record-id|date|target-uri|(?:block|payload)-digest|ip-address|truncated|warcinfo-id|filename|profile|refers-to(?:-target-uri|-date)?|identified-payload-type|segment-(?:number|origin-id|total-length)))$/
const withTarget = new Set(['response', 'resource', 'request', 'revisit', 'conversion', 'continuation'])
/** Types whose payload digest is that of their own block; that of a revisit belongs to another record. */
const withOwnPayload = new Set(['response', 'resource', 'request'])

/** Checks a parsed record against its own header. Returns the first fault found. */
export function checkRecord(record: ArchiveRecord): CheckResult {
  const reason = headerFault(record) ?? blockDigestFault(record) ?? payloadDigestFault(record)
  return reason === null ? { kind: 'ok' } : { kind: 'damaged', reason }
}

function headerFault({ version, type, headers, block, blockLength }: ArchiveRecord): string | null {
  if (block !== null && block.length !== blockLength)
    return `Content-Length is ${blockLength}, the block has ${block.length} bytes`
  const date = headers.get('WARC-Date') ?? ''
  if (!dateFormat.test(date)) return `WARC-Date is missing or no date: ${date}`
  const contentType = headers.get('Content-Type')
  if (contentType !== null && !mediaType.test(contentType)) return `Content-Type is no media type: ${contentType}`
  if (version === 'ARC/1') return null
  const id = headers.get('WARC-Record-ID') ?? ''
  if (!/^<[a-z][a-z0-9+.-]*:[^<>\s]+>$/i.test(id)) return `WARC-Record-ID is missing or no URI: ${id}`
  if (withTarget.has(type) && !headers.get('WARC-Target-URI')) return 'WARC-Target-URI is missing'
  if (type === 'revisit' && !headers.get('WARC-Profile')) return 'WARC-Profile is missing'
  return contradiction(headers)
}

/** The standard lets only one of its fields be repeated. A repetition of the same value does no harm. */
function contradiction({ entries }: WarcHeaders): string | null {
  const values = new Map<string, string>()
  for (const [name, value] of entries) {
    const key = name.toLowerCase()
    if (!singleField.test(key)) continue
    if (values.has(key) && values.get(key) !== value) return `${name} is stated twice`
    values.set(key, value)
  }
  return null
}

function blockDigestFault({ headers, block, passedDigest }: ArchiveRecord): string | null {
  const text = headers.get('WARC-Block-Digest')
  const digest = text === null ? null : parseDigest(text)
  if (digest === null) return null
  if (digest === 'malformed') return `WARC-Block-Digest is no digest: ${text}`
  const matches = block === null ? passedDigest === digest.bytes.toString('hex') : matchesDigest(digest, block)
  return matches ? null : 'the block does not match WARC-Block-Digest'
}

function payloadDigestFault({ type, headers, block }: ArchiveRecord): string | null {
  const text = headers.get('WARC-Payload-Digest')
  const digest = text === null ? null : parseDigest(text)
  if (digest === null) return null
  if (digest === 'malformed') return `WARC-Payload-Digest is no digest: ${text}`
  // A segment holds only part of the digested payload.
  if (block === null || !withOwnPayload.has(type) || headers.get('WARC-Segment-Number') !== null) return null
  return payloadsOf({ type, headers }, block).some((payload) => matchesDigest(digest, payload))
    ? null
    : 'the payload does not match WARC-Payload-Digest'
}

const ending = '\r\n\r\n'

/** Whether these bytes are exactly one complete uncompressed record, including line ends and digests. */
export function isWholeRecord(bytes: Uint8Array): boolean {
  const record = parseWholeRecord(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return record !== null && checkRecord(record).kind === 'ok'
}

/** Parses a record without copying; null unless the bytes are exactly one uncompressed record as we write it. */
export function parseWholeRecord(bytes: Buffer): ArchiveRecord | null {
  const headEnd = bytes.indexOf(ending)
  if (headEnd < 0) return null
  const parsed = parseRecordHead(bytes.subarray(0, headEnd))
  if (parsed.kind === 'malformed') return null
  const start = headEnd + ending.length
  const end = start + parsed.head.blockLength
  if (end + ending.length !== bytes.length || bytes.subarray(end).toString('latin1') !== ending) return null
  return { ...parsed.head, offset: 0, length: bytes.length, block: bytes.subarray(start, end), passedDigest: null }
}
