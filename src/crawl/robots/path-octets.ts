/**
 * Paths as RFC 9309 compares them: octet by octet, after both sides are normalised to one spelling.
 * Unreserved characters are decoded, reserved ones stay as written, everything else is percent-encoded in
 * upper-case hex. `*` and `$` have a meaning in patterns, so as plain characters they are always encoded.
 */

const plainPath = /^[A-Za-z0-9\-._~/?&=:@!'()+,;#[\]]*$/
const unreserved = /[A-Za-z0-9\-._~]/
const keptReserved = /[/?&=:@!'()+,;#[\]]/

/** Spelling of each octet if it was written bare, and if it was written as a percent triplet. */
const bare: string[] = []
const decoded: string[] = []
for (let octet = 0; octet < 256; octet++) {
  const char = String.fromCharCode(octet)
  const triplet = `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
  const free = octet < 128 && unreserved.test(char)
  bare.push(free || (octet < 128 && keptReserved.test(char)) ? char : triplet)
  decoded.push(free ? char : triplet)
}

/** Text whose characters are octets: patterns from the file already are, URLs are converted. */
export function octetsOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** The normalised spelling of octets. A `%` that starts no triplet is taken literally. */
export function normaliseOctets(octets: string): string {
  if (plainPath.test(octets)) return octets
  const parts: string[] = []
  for (let i = 0; i < octets.length; i++) {
    const code = octets.charCodeAt(i)
    if (code === 0x25) {
      const value = hexPair(octets, i + 1)
      parts.push(value < 0 ? '%25' : decoded[value]!)
      if (value >= 0) i += 2
    } else parts.push(bare[code]!)
  }
  return parts.join('')
}

/** The part of a URL that rules apply to: path and query, from the first slash, without the fragment. */
export function pathOfUrl(url: string): string {
  const hash = url.indexOf('#')
  const end = hash < 0 ? url.length : hash
  const start = url.charCodeAt(0) === 0x2f ? 0 : startOfPath(url, end)
  const raw = url.slice(start, end)
  const rooted = raw.charCodeAt(0) === 0x2f ? raw : `/${raw}`
  return plainPath.test(rooted) ? rooted : normaliseOctets(octetsOf(rooted))
}

const queryEscapes = /%(?:21|27|28|29|2C|2F|3A|3B|3F|40|5B|5D)/g

/**
 * RFC 9309 treats `?u=https://a` and `?u=https%3A%2F%2Fa` as equal. In the query these characters separate nothing, so
 * a second spelling has them decoded; before the `?` an encoded slash remains different from a slash.
 */
export function bareQuery(normalised: string, queryStart: number): string {
  if (queryStart < 0 || normalised.indexOf('%', queryStart) < 0) return normalised
  const query = normalised.slice(queryStart)
  const bareText = query.replace(queryEscapes, (triplet) => String.fromCharCode(hexPair(triplet, 1)))
  return normalised.slice(0, queryStart) + bareText
}

function startOfPath(url: string, end: number): number {
  const scheme = url.indexOf('://')
  const first = firstPathChar(url, 0, end)
  return scheme >= 0 && scheme < first ? firstPathChar(url, scheme + 3, end) : first
}

function firstPathChar(url: string, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    const code = url.charCodeAt(i)
    if (code === 0x2f || code === 0x3f || code === 0x3b) return i
  }
  return end
}

function hexPair(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at))
  const low = hexDigit(text.charCodeAt(at + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
