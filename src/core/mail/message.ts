import { isUtf8 } from 'node:buffer'
import type { Address, Email } from 'postal-mime'
import { plainAddresses } from './address-list.ts'
import { isoDate } from './mail-date.ts'
import { loadMimeReader, type MimeReader } from './mime-reader.ts'
import { repairedText } from './repaired-text.ts'
import { withoutUtf7Words } from './utf7.ts'

/** A message, read as far as possible. Nothing in it can be trusted; missing values are empty. */
export type MailMessage = {
  subject: string
  from: string
  to: string
  cc: string
  /** ISO 8601, or as written if it isn't a date. */
  date: string
  /** Name or id of the mailing list, or newsgroups. */
  list: string
  /** Without angle brackets; null if there is none that is usable. */
  id: string | null
  /** Ids of the messages it refers to, oldest first. */
  references: readonly string[]
  text: string
  html: string
  attachments: readonly MailAttachment[]
  /** Parts or headers were dropped. */
  isCut: boolean
}

export type MailAttachment = {
  /** From 1, stable each time the message is read. */
  section: number
  name: string
  /** Media type without parameters. */
  type: string
  body: Buffer
}

const maxHeaderBytes = 512 * 1024
const limits = { maxHeadersSize: maxHeaderBytes, maxNestingDepth: 60, maxRfc822NestingDepth: 5 }
/** Maximum number of lines: some 20 MB of an encoded attachment. */
const maxLines = 300_000
/** Maximum number of lines beginning with `--`, as each part and little else does. */
const maxPartLines = 5000
const maxAttachments = 200
const maxReferences = 100
const maxNameLength = 250
const maxFieldLength = 2000
const maxAddressFields = 100
/** Of a field before it is decoded. */
const maxEncodedLength = 40_000

/** Never rejects: if the source isn't a message, its text is returned. */
export async function parseMessage(source: Buffer): Promise<MailMessage> {
  const { bytes, isCut } = withoutExcess(withHeader(withReadableHeader(withoutEnvelope(source))))
  const reader = await loadMimeReader()

  async function parsed(bytes: Buffer): Promise<MailMessage | null> {
    try {
      return messageOf(await reader.parse(bytes, limits), reader, isCut)
    } catch {
      // Beyond a limit, or so malformed that the parser fails; the caller falls back to plain text.
      return null
    }
  }

  const message = await parsed(bytes)
  if (message === null) return asText(bytes, reader)
  if (isEmpty(message) && headerEnd(bytes) === bytes.length) return { ...message, text: textWithoutHeader(bytes) }
  if (!/\ufffd/.test(message.text + message.html)) return message
  // The declared encoding is wrong: anything but UTF-8 is read byte by byte, and UTF-8 misread that way is repaired.
  const again = await parsed(withoutUtf8Claims(bytes))
  return again === null
    ? message
    : { ...message, text: betterLines(message.text, again.text), html: betterLines(message.html, again.html) }
}

/** Each line as it was read first, unless more of its characters are broken than not. */
function betterLines(first: string, again: string): string {
  const lines = first.split('\n')
  const others = again.split('\n')
  if (lines.length !== others.length) return again
  return lines.map((line, i) => (isMostlyBroken(line) ? others[i] : line)).join('\n')
}

function isMostlyBroken(line: string): boolean {
  const broken = line.match(/\ufffd/g)?.length ?? 0
  return broken > (line.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0)
}

const isEmpty = ({ text, html, attachments }: MailMessage): boolean =>
  text.trim() === '' && html === '' && attachments.length === 0

/** The text of what has no empty line after its header, or no header: all from the first line that isn't a field. */
function textWithoutHeader(source: Buffer): string {
  const start = source.subarray(0, maxHeaderBytes).toString('latin1')
  const at = /^(?![!-9;-~]+[ \t]*:)[^\s]/m.exec(start)?.index
  if (at === undefined) return ''
  const rest = source.subarray(at)
  return withUnixLines(isUtf8(rest) ? rest.toString('utf8') : new TextDecoder('windows-1252').decode(rest))
}

const withUnixLines = (text: string): string => text.replace(/\r\n?/g, '\n')

/** The id in a Message-ID or similar header, without angle brackets. */
export function messageId(value: string): string | null {
  const id = /<([^<>]+)>/.exec(value)?.[1]?.replaceAll(/\s+/g, '') ?? value.trim()
  return /^[^\s<>\p{Cc}\ufffd]{1,250}$/u.test(id) ? id : null
}

function messageOf(email: Email, { decodeWords, parseAddresses }: MimeReader, isCut: boolean): MailMessage {
  const fields = (name: string): string[] =>
    email.headers.flatMap(({ key, value }) => (key === name ? withoutUtf7Words(value.slice(0, maxEncodedLength)) : []))
  const field = (name: string): string => fields(name)[0] ?? ''
  const people = (name: string, count = maxAddressFields): string =>
    addresses(fields(name).slice(0, count).map(plainAddresses).flatMap(parseAddresses))
  return {
    subject: line(decodeWords(field('subject'))),
    from: people('from', 1),
    to: people('to'),
    cc: people('cc'),
    date: isoDate(field('date')) ?? line(field('date')),
    list: line(decodeWords(field('list-id') || field('newsgroups'))),
    id: messageId(field('message-id')),
    references: referencesOf(decodeWords(fields('references').join(' ')), decodeWords(field('in-reply-to'))),
    text: repairedText(withUnixLines(email.text ?? '')),
    html: repairedText(withUnixLines(email.html ?? '')),
    attachments: attachmentsOf(email),
    isCut: isCut || email.attachments.length > maxAttachments,
  }
}

function attachmentsOf(email: Email): MailAttachment[] {
  return email.attachments.slice(0, maxAttachments).flatMap((attachment, index) => {
    const { filename, mimeType, content } = attachment
    // A picture inside the text is decoration.
    if (attachment.related === true && mimeType.startsWith('image/')) return []
    const type = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,100}$/.test(mimeType)
      ? mimeType
      : 'application/octet-stream'
    const section = index + 1
    const name = line(filename ?? attachment.description ?? '').slice(0, maxNameLength) || `Attachment ${section}`
    return [{ section, name, type, body: asBuffer(content) }]
  })
}

function asBuffer(content: ArrayBuffer | Uint8Array | string): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

/** The last one is the message replied to. */
function referencesOf(references: string, inReplyTo: string): string[] {
  // Some programs leave out the angle brackets.
  const bare = references.includes('<') ? [] : references.split(/[\s,]+/).filter((each) => each.includes('@'))
  const listed = bare.length === 0 ? references : bare.map((each) => `<${each}>`).join(' ')
  const found = `${listed} ${/<[^<>]+>/.exec(inReplyTo)?.[0] ?? ''}`.match(/<[^<>]{1,300}>/g) ?? []
  const ids = found.flatMap((one) => messageId(one) ?? [])
  // The message replied to is usually listed twice; its last position counts.
  return [...new Set(ids.reverse())].reverse().slice(-maxReferences)
}

function addresses(all: readonly Address[]): string {
  const each = all.flatMap((one) => one.group ?? [one])
  return line(
    each.map(({ name, address }) => (name === '' ? address : address ? `${name} <${address}>` : name)).join(', '),
  )
}

/** One line without control characters. */
function line(text: string): string {
  return repairedText(text.slice(0, 2 * maxFieldLength))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, maxFieldLength)
    .toWellFormed()
}

/** Mbox files put a `From ` line before each message. */
function withoutEnvelope(source: Buffer): Buffer {
  if (source.subarray(0, 5).toString('latin1') !== 'From ') return source
  return source.subarray(source.indexOf(0x0a) + 1)
}

/** Headers are UTF-8, if not ASCII. Old programs send other bytes, which are read as Western European. */
function withReadableHeader(source: Buffer): Buffer {
  const end = headerEnd(source)
  const header = source.subarray(0, end)
  if (isUtf8(header)) return source
  return Buffer.concat([Buffer.from(new TextDecoder('windows-1252').decode(header)), source.subarray(end)])
}

const noFields = Buffer.from('\n')

/** What has no field at all before its first empty line is text. */
function withHeader(source: Buffer): Buffer {
  const start = source.subarray(0, Math.min(headerEnd(source), maxHeaderBytes)).toString('latin1')
  const isHeader = /^(?:\r?\n|$)/.test(start) || /^[!-9;-~]+[ \t]*:/m.test(start)
  return isHeader ? source : Buffer.concat([noFields, source])
}

function headerEnd(source: Buffer): number {
  const ends = [source.indexOf('\n\n'), source.indexOf('\n\r\n')].filter((at) => at !== -1)
  return ends.length === 0 ? source.length : Math.min(...ends)
}

function withoutExcess(source: Buffer): { bytes: Buffer; isCut: boolean } {
  const end = Math.min(placeOf(source, '\n', maxLines), endOfParts(source))
  return { bytes: source.subarray(0, end), isCut: end < source.length }
}

function endOfParts(source: Buffer): number {
  const end = placeOf(source, '\n--', maxPartLines)
  // Other texts have such lines too, but they are costly only in multiparts.
  return end < source.length && /multipart\//i.test(source.subarray(0, end).toString('latin1')) ? end : source.length
}

/** The index of the nth occurrence of a text; the length if there is none. */
function placeOf(source: Buffer, text: string, nth: number): number {
  let at = -1
  for (let found = 0; found < nth; found++) {
    at = source.indexOf(text, at + 1)
    if (at === -1) return source.length
  }
  return at
}

const utf8Claim = /charset\s*=\s*"?utf-?8"?/gi
const textWithoutClaim = /(content-type:[ \t]*text\/(?:plain|html))[ \t;]*(\r?\n)(?![ \t])/gi

function withoutUtf8Claims(source: Buffer): Buffer {
  const end = headerEnd(source)
  const header = source.subarray(0, end).toString('latin1')
  const added = /^content-type:/im.test(header) ? '' : 'Content-Type: text/plain; charset=windows-1252\r\n'
  const text = source.toString('latin1').replace(utf8Claim, 'charset=windows-1252')
  return Buffer.from(added + text.replace(textWithoutClaim, '$1; charset=windows-1252$2'), 'latin1')
}

/** Fallback for a message that exceeds the limits or can't be parsed. */
function asText(source: Buffer, { decodeWords }: MimeReader): MailMessage {
  const header = source.subarray(0, Math.min(headerEnd(source), maxHeaderBytes)).toString('utf8')
  const unfolded = header.replace(/\r?\n[ \t]+/g, ' ')
  const field = (name: string): string =>
    decodeWords((new RegExp(`^${name}:(.*)$`, 'im').exec(unfolded)?.[1] ?? '').slice(0, maxEncodedLength))
  return {
    subject: line(field('subject')),
    from: line(field('from')),
    to: line(field('to')),
    cc: line(field('cc')),
    date: isoDate(field('date')) ?? line(field('date')),
    list: line(field('list-id')),
    id: messageId(field('message-id')),
    references: referencesOf(field('references'), field('in-reply-to')),
    text: repairedText(source.subarray(headerEnd(source)).toString('utf8').trim()),
    html: '',
    attachments: [],
    isCut: true,
  }
}
