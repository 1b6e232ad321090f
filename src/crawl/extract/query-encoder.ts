import { createLegacyEncoder } from './legacy-encoder.ts'

/** Encoders are built once per encoding, of which there are a few dozen; the large ones take some milliseconds. */
const encoders = new Map<string, (href: string) => string>()

/**
 * Percent-encodes what is not ASCII in the query of a link in a legacy encoding, as browsers do for pages that are not
 * UTF-8. What the encoding cannot express becomes a percent-encoded numeric reference (`%26%239829%3B`).
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

/** Bytes of a multi-byte character may be ASCII; those that a query may hold stand as they are. */
function percentEncoded(byte: number): string {
  const isPlain =
    byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x23 && byte !== 0x27 && byte !== 0x3c && byte !== 0x3e
  return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
