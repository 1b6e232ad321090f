import { createPartDecoder } from '../../core/http/charset.ts'

/** Encoders are built once per encoding, of which there are a few dozen; the large ones take a few milliseconds. */
const encoders = new Map<string, (href: string) => string>()

/**
 * Percent-encodes non-ASCII characters in the query of a link in a legacy encoding, as browsers do for pages that are not
 * UTF-8. Characters that the encoding can't express become a percent-encoded numeric reference (`%26%239829%3B`).
 * Path and fragment are left alone.
 */
export function createQueryEncoder(charset: string): (href: string) => string {
  const known = encoders.get(charset)
  if (known !== undefined) return known
  const encoder = buildQueryEncoder(charset)
  encoders.set(charset, encoder)
  return encoder
}

function buildQueryEncoder(charset: string): (href: string) => string {
  let encode: ReturnType<typeof createLegacyEncoder> | undefined
  return (href) => {
    const start = href.indexOf('?') + 1
    if (start === 0) return href
    const hash = href.indexOf('#')
    if (hash !== -1 && hash < start) return href
    const end = hash === -1 ? href.length : hash
    const query = href.slice(start, end)
    if (!/[^\0-\x7f]/.test(query)) return href
    encode ??= createLegacyEncoder(charset)
    return href.slice(0, start) + encodeQuery(query, encode) + href.slice(end)
  }
}

function encodeQuery(query: string, encode: (codePoint: number) => readonly number[] | undefined): string {
  let out = ''
  for (const character of query) {
    const codePoint = character.codePointAt(0)!
    if (codePoint < 0x80) {
      out += character
      continue
    }
    const bytes = encode(codePoint)
    if (bytes === undefined) out += `%26%23${codePoint}%3B`
    else for (const byte of bytes) out += percentEncoded(byte)
  }
  return out
}

/** Bytes of a multi-byte character may be ASCII; those allowed in a query are not encoded. */
function percentEncoded(byte: number): string {
  const isPlain =
    byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x23 && byte !== 0x27 && byte !== 0x3c && byte !== 0x3e
  return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** Bytes of one character; undefined if the encoding doesn't have it. */
export type LegacyEncoder = (codePoint: number) => readonly number[] | undefined

/**
 * The runtime can decode legacy encodings but not encode them, so the table is built by decoding every sequence once.
 * If several sequences decode to one character, the choice is the Encoding standard's: the first, except for those
 * named below.
 */
export function createLegacyEncoder(charset: string): LegacyEncoder {
  const table = new Map<number, readonly number[]>()
  const decode = createPartDecoder(charset)
  const add = (...bytes: number[]): void => {
    const text = decode(Uint8Array.from(bytes))
    const codePoint = text.codePointAt(0) ?? 0
    const isOne = text.length === (codePoint > 0xffff ? 2 : 1)
    if (!isOne || codePoint < 0x80 || codePoint === 0xfffd) return
    if (!table.has(codePoint) || (charset === 'big5' && big5Last.has(codePoint))) table.set(codePoint, bytes)
  }
  // GB18030 decodes 0x80 as the euro sign but encodes that as two bytes. In EUC-JP the runtime decodes single bytes that aren't characters.
  if (charset !== 'gb18030' && charset !== 'euc-jp') for (let byte = 0x80; byte <= 0xff; byte++) add(byte)
  for (const lead of leadBytes(charset)) for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail)
  if (charset === 'euc-jp' || charset === 'shift_jis') addJapanese(table)
  if (charset === 'gb18030') return gb18030Encoder(table)
  return (codePoint) => table.get(codePoint)
}

/** Characters that Japanese encodings encode but decode to others: the yen sign and the overline of JIS X 0201, and the minus sign. */
function addJapanese(table: Map<number, readonly number[]>): void {
  table.set(0xa5, [0x5c])
  table.set(0x203e, [0x7e])
  table.set(0x2212, table.get(0xff0d)!)
}

/** Characters that Big5 has twice and encodes as the later one. */
const big5Last = new Set([0x2550, 0x255e, 0x2561, 0x256a, 0x5341, 0x5345])

function leadBytes(charset: string): number[] {
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)
  switch (charset) {
    case 'gbk':
    case 'gb18030':
    case 'euc-kr':
      return range(0x81, 0xfe)
    case 'big5':
      // Below 0xa1 is the Hong Kong supplement, which is decoded but never encoded.
      return range(0xa1, 0xfe)
    case 'euc-jp':
      return [0x8e, ...range(0xa1, 0xfe)]
    case 'shift_jis':
      // 0xed to 0xef repeat characters that are elsewhere.
      return [...range(0x81, 0x9f), ...range(0xe0, 0xec), ...range(0xf0, 0xfc)]
    default:
      return []
  }
}

/** GB18030 has a four-byte sequence for every other code point; below U+10000 they are found by decoding. */
function gb18030Encoder(table: Map<number, readonly number[]>): LegacyEncoder {
  const four = (pointer: number): number[] => [
    0x81 + Math.floor(pointer / 12600),
    0x30 + (Math.floor(pointer / 1260) % 10),
    0x81 + (Math.floor(pointer / 10) % 126),
    0x30 + (pointer % 10),
  ]
  const decoder = new TextDecoder('gb18030')
  for (let pointer = 0; pointer < 39420; pointer++) {
    const bytes = four(pointer)
    const text = decoder.decode(Uint8Array.from(bytes))
    if (text.length === 1 && text !== '\uFFFD' && !table.has(text.charCodeAt(0))) table.set(text.charCodeAt(0), bytes)
  }
  return (codePoint) => table.get(codePoint) ?? (codePoint > 0xffff ? four(codePoint - 0x10000 + 189000) : undefined)
}
