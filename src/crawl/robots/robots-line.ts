/** Splits a robots.txt into lines, keys and values. Text is octets (one character each). */

export type RobotsKey =
  | 'user-agent'
  | 'allow'
  | 'disallow'
  | 'sitemap'
  | 'host'
  | 'crawl-delay'
  | 'request-rate'
  | 'visit-time'

/** Eight times the longest URL that browsers once accepted; longer lines are cut off. */
const maxLineOctets = 2083 * 8 - 1

/** Includes misspellings that are common enough for the intention to be clear. */
const keys: ReadonlyMap<string, RobotsKey> = new Map<string, RobotsKey>([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['host', 'host'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['crawl delay', 'crawl-delay'],
  ['request-rate', 'request-rate'],
  ['request rate', 'request-rate'],
  ['visit-time', 'visit-time'],
  ['visit time', 'visit-time'],
])
/** Includes white space that some put before the colon. */
const maxKeyOctets = 32
const spacedKey = /^([a-z]+(?:[- ](?:agent|delay|rate|time|map))?)[ \t]+(?=\S)/i

/** Calls `take` for each line with a known key, in order. Empty values are passed on: they have a meaning. */
export function eachLine(octets: string, take: (key: RobotsKey, value: string) => void): void {
  let start = byteOrderMarkLength(octets)
  while (start < octets.length) {
    const end = endOfLine(octets, start)
    takeLine(octets.slice(start, Math.min(end, start + maxLineOctets)), take)
    start = end + 1
  }
}

function takeLine(line: string, take: (key: RobotsKey, value: string) => void): void {
  const hash = line.indexOf('#')
  const text = trim(hash < 0 ? line : line.slice(0, hash))
  if (text === '') return
  const colon = text.indexOf(':')
  const key = colon < 0 || colon > maxKeyOctets ? undefined : keyOf(text.slice(0, colon))
  if (key === undefined) takeLineWithoutColon(text, take)
  else take(key, trim(text.slice(colon + 1)))
}

/** Handles a forgotten colon: `disallow /x`. A later colon may belong to the value. */
function takeLineWithoutColon(text: string, take: (key: RobotsKey, value: string) => void): void {
  const spaced = spacedKey.exec(text.slice(0, 2 * maxKeyOctets))
  const key = spaced === null ? undefined : keyOf(spaced[1]!)
  if (key !== undefined) take(key, trim(text.slice(spaced![0].length)))
}

function keyOf(text: string): RobotsKey | undefined {
  return keys.get(text.trim().toLowerCase())
}

/** CR and LF both end a line; the empty line inside CRLF is harmless. */
function endOfLine(octets: string, start: number): number {
  for (let i = start; i < octets.length; i++) {
    const code = octets.charCodeAt(i)
    if (code === 0x0a || code === 0x0d) return i
  }
  return octets.length
}

/** Even a truncated byte order mark isn't part of the first key. */
function byteOrderMarkLength(octets: string): number {
  const mark = '\u00ef\u00bb\u00bf'
  let length = 0
  while (length < mark.length && octets[length] === mark[length]) length++
  return length
}

/** Trims only ASCII white space: octet 0xA0 may be part of a multi-byte character. */
function trim(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isWhite(text.charCodeAt(from))) from++
  while (to > from && isWhite(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0
}
