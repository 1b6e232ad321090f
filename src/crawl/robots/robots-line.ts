import { octetsOf } from './path-octets.ts'

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
  ['user_agent', 'user-agent'],
  ['user-agents', 'user-agent'],
  ['user-agnet', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['disallows', 'disallow'],
  ['desallow', 'disallow'],
  ['disllow', 'disallow'],
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

/** Spaces outside ASCII, as octets. They come with text that was pasted from a page or a word processor. */
const wideSpaces: ReadonlySet<string> = new Set(
  Array.from(
    '\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f\u205f\u3000',
    octetsOf,
  ),
)

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
  return keys.get(trim(text).toLowerCase())
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

/** Trims white space of ASCII and of UTF-8: an unencoded space at an end of a path is never meant. */
function trim(text: string): string {
  let from = 0
  let to = text.length
  for (let length = 1; from < to && length > 0; from += length) length = spaceAfter(text, from)
  for (let length = 1; from < to && length > 0; to -= length) length = spaceBefore(text, to)
  return text.slice(from, to)
}

/** The number of octets of the space that starts at `at`, or 0. */
function spaceAfter(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 0x80) return isWhite(code) ? 1 : 0
  if (code === 0xa0) return 1
  if (wideSpaces.has(text.slice(at, at + 2))) return 2
  return wideSpaces.has(text.slice(at, at + 3)) ? 3 : 0
}

/** The number of octets of the space that ends before `end`, or 0. Octet 0xA0 may end another character; alone, it is Latin-1. */
function spaceBefore(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  if (code < 0x80) return isWhite(code) ? 1 : 0
  if (wideSpaces.has(text.slice(end - 2, end))) return 2
  if (wideSpaces.has(text.slice(end - 3, end))) return 3
  return code === 0xa0 && !(text.charCodeAt(end - 2) >= 0x80) ? 1 : 0
}

function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0
}
