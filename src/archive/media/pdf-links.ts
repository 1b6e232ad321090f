import { inflateSync } from 'node:zlib'
import { createPageWriter, linkStart } from './page-writer.ts'

/**
 * Addresses and title of a PDF, found without laying it out: a thousand pages take milliseconds, while the library that reads the text
 * takes seconds for their links alone. Addresses are in plain objects or in object streams. Null for files that store them otherwise:
 * encrypted, with another compression, damaged.
 */
export function pdfLinks(body: Buffer, maxBytes: number): string | null {
  if (body.indexOf('%PDF-') === -1 || body.indexOf(' obj') === -1 || body.indexOf('/Encrypt') !== -1) return null
  const objects = objectStreams(body)
  if (objects === null) return null
  const writer = createPageWriter(maxBytes)
  const found = new Set<string>()
  for (const text of [body, ...objects.map(({ text }) => text)])
    for (const value of valuesOf(text, '/URI')) {
      const start = linkStart(textOf(value))
      if (start === '' || found.has(start)) continue
      found.add(start)
      writer.html(`${start}</a>`)
    }
  return writer.page(titleOf(body, objects))
}

/** A stream of objects: by object number, where each begins. */
type ObjectStream = { text: Buffer; places: ReadonlyMap<number, number> }

const MAX_STREAMS = 20_000
const MAX_INFLATED = 64 * 1024 * 1024
/** Maximum length of the dictionary of a stream. */
const MAX_DICTIONARY = 2048
const MAX_VALUE = 4096
const MAX_VALUES = 100_000

function objectStreams(body: Buffer): ObjectStream[] | null {
  const streams: ObjectStream[] = []
  let left = MAX_INFLATED
  for (let at = body.indexOf('/ObjStm'); at !== -1; at = body.indexOf('/ObjStm', at + 1)) {
    const start = body.indexOf('stream', at)
    if (start === -1 || start - at > MAX_DICTIONARY) continue
    const from = Math.max(0, at - MAX_DICTIONARY)
    const dictionary = body.toString('latin1', Math.max(from, body.lastIndexOf(' obj', at)), start)
    const end = body.indexOf('endstream', start)
    if (streams.length >= MAX_STREAMS || end === -1 || !isPlainlyDeflated(dictionary)) return null
    const text = inflated(body.subarray(dataStart(body, start), end), left)
    if (text === null) return null
    left -= text.length
    streams.push({ text, places: placesOf(text, numberOf(dictionary, 'N'), numberOf(dictionary, 'First')) })
    at = end
  }
  return streams
}

const isPlainlyDeflated = (dictionary: string): boolean =>
  /\/Filter\s*\[?\s*\/FlateDecode\s*\]?\s*[/>]/.test(dictionary) && !dictionary.includes('/DecodeParms')

const numberOf = (dictionary: string, name: string): number =>
  Number(new RegExp(`/${name}\\s+(\\d{1,9})`).exec(dictionary)?.[1] ?? 0)

/** After the keyword and its line end. */
function dataStart(body: Buffer, word: number): number {
  const at = word + 'stream'.length
  return body[at] === 0x0d ? at + 2 : at + 1
}

function inflated(data: Buffer, maxBytes: number): Buffer | null {
  if (maxBytes <= 0) return null
  try {
    return inflateSync(data, { maxOutputLength: maxBytes })
  } catch {
    return null // damaged or too large: the converter reports which
  }
}

/** Reads pairs of object number and offset from `first`. */
function placesOf(text: Buffer, count: number, first: number): Map<number, number> {
  const numbers = text
    .toString('latin1', 0, first)
    .trim()
    .split(/\s+/)
    .slice(0, 2 * count)
    .map(Number)
  const places = new Map<number, number>()
  for (let at = 0; at + 1 < numbers.length; at += 2) places.set(numbers[at]!, first + numbers[at + 1]!)
  return places
}

/** The strings that follow a name. */
function* valuesOf(text: Buffer, name: string): Generator<Buffer> {
  let count = 0
  for (let at = text.indexOf(name); at !== -1 && count < MAX_VALUES; at = text.indexOf(name, at + 1), count++) {
    const value = stringAt(text, at + name.length)
    if (value !== null) yield value
  }
}

const OPEN = 0x28
const CLOSE = 0x29
const LESS = 0x3c
const BACKSLASH = 0x5c

/** Reads `(text)` or `<hex>` after optional white space; null for anything else. */
function stringAt(text: Buffer, from: number): Buffer | null {
  let at = from
  while (at < text.length && text[at]! <= 0x20) at++
  if (text[at] === LESS) {
    const end = text.indexOf('>', at)
    if (end === -1 || end - at > MAX_VALUE) return null
    const digits = text.toString('latin1', at + 1, end).replace(/\s+/g, '')
    return /^[0-9a-f]*$/i.test(digits) ? Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex') : null
  }
  return text[at] === OPEN ? literalAt(text, at + 1) : null
}

const escapes: ReadonlyMap<string, number> = new Map(Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12 }))

function literalAt(text: Buffer, from: number): Buffer | null {
  const bytes: number[] = []
  let depth = 1
  for (let at = from; at < text.length && bytes.length < MAX_VALUE; at++) {
    const byte = text[at]!
    if (byte === BACKSLASH) {
      const octal = /^[0-7]{1,3}/.exec(text.toString('latin1', at + 1, at + 4))?.[0]
      if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff)
      const next = text.toString('latin1', at + 1, at + 2)
      if (octal === undefined && next !== '\n' && next !== '\r') bytes.push(escapes.get(next) ?? next.charCodeAt(0))
      at += octal?.length ?? (next === '\r' && text[at + 2] === 10 ? 2 : 1)
      continue
    }
    if (byte === OPEN) depth++
    if (byte === CLOSE && --depth === 0) return Buffer.from(bytes)
    bytes.push(byte)
  }
  return null
}

/** UTF-16 if it has a byte order mark, else UTF-8 if valid, else latin1. */
function textOf(value: Buffer): string {
  if (value[0] === 0xfe && value[1] === 0xff) return new TextDecoder('utf-16be').decode(value)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(value)
  } catch {
    return value.toString('latin1')
  }
}

/** The title in the object that the last trailer refers to. */
function titleOf(body: Buffer, streams: readonly ObjectStream[]): string {
  const named = body.lastIndexOf('/Info')
  const number = named === -1 ? null : /^\/Info\s+(\d{1,9})\s+\d+\s+R/.exec(body.toString('latin1', named, named + 40))
  if (number === null) return ''
  const inStream = streams.findLast(({ places }) => places.has(Number(number[1])))
  const [text, from] =
    inStream === undefined
      ? [body, objectStart(body, number[1]!)]
      : [inStream.text, inStream.places.get(Number(number[1]))!]
  if (from === -1) return ''
  const end = objectEnd(text, from, inStream?.places)
  const at = text.subarray(from, end).indexOf('/Title')
  const value = at === -1 ? null : stringAt(text, from + at + '/Title'.length)
  return value === null ? '' : textOf(value)
}

function objectStart(body: Buffer, number: string): number {
  for (let at = body.lastIndexOf(`${number} 0 obj`); at > 0; at = body.lastIndexOf(`${number} 0 obj`, at - 1))
    if (body[at - 1]! <= 0x20) return at
  return -1
}

function objectEnd(text: Buffer, from: number, places: ReadonlyMap<number, number> | undefined): number {
  if (places === undefined) return Math.max(from, text.indexOf('endobj', from))
  return Math.min(text.length, ...[...places.values()].filter((place) => place > from))
}
