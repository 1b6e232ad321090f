import { lineToken } from './agent-token.ts'
import { eachLine, type RobotsKey } from './robots-line.ts'
import {
  type AgentSection,
  createRobotsRules,
  longerDelay,
  type Pace,
  type RawRule,
  type RobotsContent,
  type RobotsRules,
  readCrawlDelay,
  readDayWindow,
  readRequestRate,
} from './robots-rules.ts'

export type ParseRobotsOptions = {
  /** RFC 9309 requires at least 500 KiB. The rest is not read. */
  maxBytes?: number
  maxRules?: number
  maxSitemaps?: number
}

/**
 * Parses a robots.txt according to RFC 9309. Nothing in it is an error: lines that can't be understood are ignored.
 *
 * A group is a run of `User-agent` lines and the rules after them. Only `Allow` and `Disallow` close the run: other lines must not
 * end a group. Directives about pace, which are not in the RFC, belong to the names since the last rule or the last such directive.
 */
export function parseRobots(text: string | Uint8Array, options: ParseRobotsOptions = {}): RobotsRules {
  const { maxBytes = 512 * 1024, maxRules = 50_000, maxSitemaps = 1000 } = options
  const octets = boundedOctets(text, maxBytes)
  const reader = createReader(maxRules, maxSitemaps)
  eachLine(octets, reader.take)
  return createRobotsRules(reader.content(octets.length))
}

export function isAllowed(robots: string, userAgent: string, url: string): boolean {
  return parseRobots(robots).isAllowed(userAgent, url)
}

function createReader(maxRules: number, maxSitemaps: number) {
  const sections = new Map<string, AgentSection>()
  const sitemaps = new Set<string>()
  let preferredHost: string | null = null
  let ruleCount = 0
  let group: RawRule[] = []
  let pace = emptyPace()
  let addressed = false
  let afterRule = true
  let afterPace = true

  function takeAgent(value: string): void {
    if (afterRule) {
      group = []
      addressed = false
    }
    if (afterRule || afterPace) pace = emptyPace()
    afterRule = false
    afterPace = false
    const token = lineToken(textOf(value))
    if (token === '') return
    addressed = true
    const section = sections.get(token) ?? { groups: new Set(), paces: new Set() }
    sections.set(token, section)
    section.groups.add(group)
    section.paces.add(pace)
  }

  function takeRule(allow: boolean, octets: string): void {
    afterRule = true
    if (octets === '' || !addressed || ruleCount >= maxRules) return
    ruleCount++
    group.push({ allow, octets })
  }

  function takePace(key: 'crawl-delay' | 'request-rate' | 'visit-time', value: string): void {
    afterPace = true
    if (key === 'crawl-delay') pace.crawlDelaySeconds = longerDelay(pace.crawlDelaySeconds, readCrawlDelay(value))
    else if (key === 'request-rate') pace.requestRate ??= readRequestRate(value)
    else pace.visitTime ??= readDayWindow(value)
  }

  function take(key: RobotsKey, value: string): void {
    if (key === 'user-agent') takeAgent(value)
    else if (key === 'allow' || key === 'disallow') takeRule(key === 'allow', value)
    else if (key === 'sitemap') {
      if (value !== '' && sitemaps.size < maxSitemaps) sitemaps.add(textOf(value))
    } else if (key === 'host') preferredHost ??= value === '' ? null : textOf(value)
    else takePace(key, value)
  }

  function content(octetCount: number): RobotsContent {
    // Rules are slices of the text and retain it in memory.
    const sizeBytes = 512 + octetCount + sections.size * 300 + ruleCount * 200
    return { sections, sitemaps: [...sitemaps], preferredHost, sizeBytes }
  }

  return { take, content }
}

function emptyPace(): Pace {
  return { crawlDelaySeconds: null, requestRate: null, visitTime: null }
}

function boundedOctets(text: string | Uint8Array, maxBytes: number): string {
  const bytes = typeof text === 'string' ? Buffer.from(text.slice(0, maxBytes + 1), 'utf8') : text
  const isCut = bytes.byteLength > maxBytes
  const utf8 = inUtf8(isCut ? bytes.subarray(0, maxBytes) : bytes)
  const bounded = isCut ? wholeLines(utf8) : utf8
  return Buffer.from(bounded.buffer, bounded.byteOffset, bounded.byteLength).toString('latin1')
}

/**
 * RFC 9309 wants UTF-8, but some editors save UTF-16, with its byte order mark. Keys are ASCII, so one of the two octets after the mark is
 * zero; where none is, the mark is wrong.
 */
function inUtf8(bytes: Uint8Array): Uint8Array {
  const isLittleEndian = bytes[0] === 0xff && bytes[1] === 0xfe
  if (!isLittleEndian && !(bytes[0] === 0xfe && bytes[1] === 0xff)) return bytes
  if (bytes[isLittleEndian ? 3 : 2] !== 0) return bytes.subarray(2)
  const whole = bytes.subarray(0, bytes.byteLength - (bytes.byteLength % 2))
  return Buffer.from(new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be').decode(whole), 'utf8')
}

/** Drops the last line, which a limit may have cut in two: half a path would be another rule. */
export function wholeLines(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1)
}

function textOf(octets: string): string {
  return Buffer.from(octets, 'latin1').toString('utf8')
}
