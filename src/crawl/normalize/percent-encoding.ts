/**
 * Normalises percent-encoding: unreserved characters (RFC 3986, 2.3) are decoded, other octets get upper-case digits,
 * and a percent sign without digits is itself encoded, as are characters that the URL parser lets through although no
 * URI may contain them. Idempotent.
 */
export function normalisePercentEncoding(text: string): string {
  return text.replace(unsettled, settle)
}

/** Source of a regular expression for a percent sign that `normalisePercentEncoding` would change. */
export const unsettledPercent = '%(?![0-9A-F]{2})|%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])'

const unsettled = /%(?:[0-9A-Fa-f]{2})?|["<>[\\\]^`{|}]/g

function settle(match: string): string {
  if (match.length === 3) return spellings[Number.parseInt(match.slice(1), 16)]!
  return encoded(match.charCodeAt(0))
}

const spellings = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet)
  return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded(octet)
})

function encoded(octet: number): string {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
}
