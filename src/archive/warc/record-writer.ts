import { randomUUID } from 'node:crypto'
import { withoutAccess } from '../../core/url/access.ts'
import { type DigestAlgorithm, digestOf } from './digest.ts'
import { httpHeaderBlock, lineValue } from './http-block.ts'

/**
 * WARC 1.1 records (ISO 28500:2017) as buffers. A record is returned in parts, so that the body is never copied here. Written one after
 * the other they are the record, including its closing line ends.
 */
export type WrittenRecord = { parts: Buffer[]; length: number; recordId: string }

/** Why a body is incomplete, in the terms of the standard. */
export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified'
export type RevisitProfile = 'identical-payload-digest' | 'server-not-modified'

type Common = {
  uri: string
  /** When the exchange began; milliseconds since 1970 or a Date. */
  date: Date | number
  recordId?: string
  warcinfoId?: string
  /** Costs another pass over the block; the payload digest alone already detects a damaged body. */
  blockDigest?: DigestAlgorithm
}

type Exchange = Common & { address: string | null; rawHeaders: readonly string[] }

export type ResponseInput = Exchange & {
  statusLine: string
  /** As sent, with its content coding but without the transfer coding. */
  body: Uint8Array
  /** `sha256:BASE32` of `body`. */
  payloadDigest: string
  truncated: Truncation | null
}

export type RevisitInput = Exchange & {
  statusLine: string
  payloadDigest: string | null
  profile: RevisitProfile
  refersToUri: string
  refersToDate: Date | number
  refersToId?: string
}

export type ResourceInput = Common & {
  address: string | null
  /** Media type of the body, with its parameters. */
  contentType: string
  body: Uint8Array
  /** `sha256:BASE32` of `body`. */
  payloadDigest: string
  truncated: Truncation | null
  /** Where an equal body is stored: the record is then a revisit without a body. */
  refers: { uri: string; date: Date | number } | null
}

export type WarcinfoInput = {
  filename: string
  software: string
  date: Date | number
  fields?: Readonly<Record<string, string>>
  recordId?: string
}

const ending = Buffer.from('\r\n\r\n')
const empty = Buffer.alloc(0)

const lastBytes = Array.from({ length: 256 }, (_, byte) => `${byte.toString(16).padStart(2, '0')}>`)
let idStart = ''
let idsMade = lastBytes.length

/** `<urn:uuid:…>`, in brackets as in headers. All but the last byte is random, and reused for each of the 256 last bytes. */
export function newRecordId(): string {
  if (idsMade === lastBytes.length) {
    idStart = `<urn:uuid:${randomUUID().slice(0, -2)}`
    idsMade = 0
  }
  return idStart + lastBytes[idsMade++]
}

export function warcinfoRecord({ filename, software, date, fields, recordId }: WarcinfoInput): Buffer {
  const block = fieldBlock({ software, format: 'WARC File Format 1.1', ...fields })
  const lines = `WARC-Filename: ${lineValue(octets(filename))}\r\nContent-Type: application/warc-fields\r\n`
  return Buffer.concat(compose('warcinfo', { date, ...(recordId && { recordId }) }, lines, block, empty).parts)
}

export function responseRecord(input: ResponseInput): WrittenRecord {
  const { uri, address, payloadDigest, truncated, body } = input
  let lines = `WARC-Target-URI: ${safeUri(uri)}\r\n`
  if (address !== null) lines += `WARC-IP-Address: ${lineValue(address)}\r\n`
  lines += `WARC-Payload-Digest: ${lineValue(payloadDigest)}\r\n`
  if (truncated !== null) lines += `WARC-Truncated: ${truncated}\r\n`
  lines += 'Content-Type: application/http; msgtype=response\r\n'
  return compose('response', input, lines, httpHeaderBlock(input.statusLine, input.rawHeaders, body), body)
}

/** A response whose payload is stored elsewhere, or was not sent because nothing changed. */
export function revisitRecord(input: RevisitInput): WrittenRecord {
  const { uri, address, payloadDigest, refersToId } = input
  let lines = `WARC-Target-URI: ${safeUri(uri)}\r\n`
  if (address !== null) lines += `WARC-IP-Address: ${lineValue(address)}\r\n`
  if (payloadDigest !== null) lines += `WARC-Payload-Digest: ${lineValue(payloadDigest)}\r\n`
  lines += `WARC-Profile: http://netpreserve.org/warc/1.1/revisit/${input.profile}\r\n`
  lines += `WARC-Refers-To-Target-URI: ${safeUri(input.refersToUri)}\r\n`
  lines += `WARC-Refers-To-Date: ${stamp(input.refersToDate)}\r\n`
  if (refersToId !== undefined) lines += `WARC-Refers-To: ${lineValue(refersToId)}\r\n`
  lines += 'Content-Type: application/http; msgtype=response\r\n'
  return compose('revisit', input, lines, httpHeaderBlock(input.statusLine, input.rawHeaders, null), empty)
}

/** A body that did not come in an HTTP response: a file, a message, a row. */
export function resourceRecord(input: ResourceInput): WrittenRecord {
  const { uri, address, contentType, body, payloadDigest, truncated, refers } = input
  let lines = `WARC-Target-URI: ${safeUri(uri)}\r\n`
  if (address !== null) lines += `WARC-IP-Address: ${lineValue(address)}\r\n`
  lines += `WARC-Payload-Digest: ${lineValue(payloadDigest)}\r\n`
  if (refers !== null) {
    lines += 'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n'
    lines += `WARC-Refers-To-Target-URI: ${safeUri(refers.uri)}\r\n`
    lines += `WARC-Refers-To-Date: ${stamp(refers.date)}\r\n`
  } else if (truncated !== null) lines += `WARC-Truncated: ${truncated}\r\n`
  lines += `Content-Type: ${mediaType(contentType)}\r\n`
  return refers === null ? compose('resource', input, lines, '', body) : compose('revisit', input, lines, '', empty)
}

/** Types come from outside; an invalid one would make the record invalid. A revisit must not pass for an HTTP message. */
function mediaType(contentType: string): string {
  const type = lineValue(contentType).trim()
  const isType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;|$)/.test(type)
  return isType && !/^(?:application|message)\/http\b/i.test(type) ? type : 'application/octet-stream'
}

function compose(
  type: string,
  common: Omit<Common, 'uri'>,
  lines: string,
  blockHead: string,
  body: Uint8Array,
): WrittenRecord {
  const recordId = common.recordId === undefined ? newRecordId() : lineValue(common.recordId)
  let head = `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: ${recordId}\r\nWARC-Date: ${stamp(common.date)}\r\n${lines}`
  if (common.warcinfoId !== undefined) head += `WARC-Warcinfo-ID: ${lineValue(common.warcinfoId)}\r\n`
  if (common.blockDigest !== undefined) {
    head += `WARC-Block-Digest: ${digestOf(common.blockDigest, [Buffer.from(blockHead, 'latin1'), body])}\r\n`
  }
  head += `Content-Length: ${blockHead.length + body.length}\r\n\r\n`
  // All text is octets by now, so one conversion covers both heads, and the lengths agree.
  const headBytes = Buffer.from(head + blockHead, 'latin1')
  const length = headBytes.length + body.length + ending.length
  if (body.length === 0) return { parts: [headBytes, ending], length, recordId }
  const bodyBytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return { parts: [headBytes, bodyBytes, ending], length, recordId }
}

function fieldBlock(fields: Readonly<Record<string, string>>): string {
  let text = ''
  for (const [name, value] of Object.entries(fields)) {
    text += `${lineValue(octets(name)).replaceAll(':', '_')}: ${lineValue(octets(value))}\r\n`
  }
  return text
}

const unsafeInUri = /[^\x21-\x7e]/

/**
 * Percent-encodes characters that a URI can't hold: white space would end the value for some readers, a line end for all. Access
 * details, such as for whom it was requested, are private and left out.
 */
function safeUri(given: string): string {
  const uri = withoutAccess(given)
  if (!unsafeInUri.test(uri)) return uri
  let text = ''
  for (const octet of Buffer.from(uri, 'utf8')) {
    const plain = octet > 0x20 && octet < 0x7f
    text += plain ? String.fromCharCode(octet) : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

function octets(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

let stampedSecond = Number.NaN
let stampOfSecond = ''

/** Hundreds of records share a second, so the text of the last one is cached. */
function stamp(date: Date | number): string {
  const ms = Math.trunc(Number(date))
  const second = Math.floor(ms / 1000)
  if (second !== stampedSecond) {
    stampOfSecond = new Date(second * 1000).toISOString().slice(0, -4)
    stampedSecond = second
  }
  const rest = ms - second * 1000
  return `${stampOfSecond}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}
