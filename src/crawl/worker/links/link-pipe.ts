import type { SkipReason } from '../../../core/reports/crawl-report.ts'
import { type Check, linkDepth, noCheck, type Offer, TABLE_PRIORITY, UNLIMITED_DEPTH } from '../../../core/request.ts'
import { type Access, accessOf, isOpen, withAccess, withoutAccess } from '../../../core/url/access.ts'
import type { FingerprintCache } from '../../../core/url/fingerprint-cache.ts'
import { hostKey } from '../../../core/url/partition.ts'
import { baseOfSerialised, type ParsedBase, prepareBase, resolve } from '../../../core/url/url.ts'
import { type Fingerprinter, toBigInt } from '../../../core/url/url-key.ts'
import { createSlices } from '../../../core/work/slices.ts'
import { type DroppedLinks, maxDroppedExamples, type TrapRule } from '../../../store/contracts/dropped-links.ts'
import { originOf, packLines } from '../../../store/rules/link-text.ts'
import type { FoundLink } from '../../extract/fastfind.ts'
import { createLinkMemo, type LinkMemo } from '../../extract/scanner/link-memo.ts'
import type { Folder } from '../../extract/scanner/scanner.ts'
import type { LinkNormaliser } from '../../normalize/link-normaliser.ts'
import type { UrlOrder } from '../../order/url-order.ts'
import type { PageWork } from '../results/check-results.ts'
import { createMetLinks } from './met-links.ts'

/** A link after it was resolved, normalised and fingerprinted. */
export type NamedLink = {
  readonly url: string
  readonly key: string
  /** The fingerprint of its key, as two signed 32-bit words. */
  readonly hi: number
  readonly lo: number
  /** The URL without its origin; null until first needed. */
  path: string | null
  /** Depth at which the URL was known at the last look-up; -1 before the first. */
  seen: number
}

/** A link in the pipe. One object serves all links of a shard. */
export type LinkDraft = {
  /** The URL to fetch. */
  url: string
  /** The key by which URLs are compared. */
  key: string
  /** Host of the page with the link. */
  pageHost: string
  /** Matching work of the page, for its watch; `work.watch` is 0 if there is none. */
  work: PageWork
}

/** Null if the link passes, else the reason to skip it. */
export type StepVerdict = null | SkipReason

/** WebRACE's pipe as a list: each step checks the draft, may add to it, and lets it pass or not. */
export type LinkStep = {
  name: string
  /** The trap limit it enforces. */
  rule?: TrapRule
  run(draft: LinkDraft): StepVerdict
}

export type PageContext = {
  url: string
  host: string
  baseHref: string | undefined
  depth: number
  hops: number
  /** Priority of its request. */
  priority?: number
  /** Text of the page, for orders that read it. */
  text?: string
  check: Check
}

export type LinkPipe = {
  /** Sets the page whose links come next, and its base. */
  enter(page: PageContext): void
  /** Recognises links of the page that was entered. */
  readonly memo: LinkMemo<NamedLink>
  /** The folder by which the memo recognises links of a page that is scanned by another thread. */
  folderOf(page: PageContext): Folder | undefined
  /**
   * Processes all links of the page that was entered. Returns its outgoing links as they are stored, and those worth offering.
   * Usually synchronous; if it takes long, as with expressions, other pages are processed in between.
   */
  run(links: readonly FoundLink<NamedLink>[], page: PageContext, at: number): PipedLinks | Promise<PipedLinks>
  /**
   * Returns the positions of those links stored with the page that are not known yet. `keys` must come from `run`, with the
   * same naming.
   */
  unknown(keys: Uint8Array, page: PageContext): number[]
  /** Marks the URLs of these offers as known; they are on their way to the store. */
  offered(offers: readonly Offer[]): void
  /** Admits the target of a redirect. The target of a seed is part of the crawl, in scope or not. */
  admit(url: string, page: PageContext, fromSeed: boolean): Offer | SkipReason | 'known' | 'unparsable'
  /** Admits a table of a host, such as a sitemap, as far from the seed as `page`. Suffix lists and scopes don't apply to tables. */
  table(url: string, page: PageContext): Offer | SkipReason | 'known' | 'unparsable'
  /** Returns and clears the links that the trap limits dropped while the target of a redirect was admitted. */
  takeDropped(page: PageContext, at: number): DroppedLinks[]
}

/** `text`: the links as they are stored. `traps`: links that the trap limits dropped. */
export type PipedLinks = { links: string[]; text: string; keys: Uint8Array; offers: Offer[]; traps: DroppedLinks[] }

type DroppedByRule = Map<TrapRule, { count: number; urls: string[] }>

export type LinkPipeOptions = {
  steps: readonly LinkStep[]
  normaliser: LinkNormaliser
  fingerprinter: Fingerprinter
  /** Fingerprints of URLs that were offered or refused before, with the depth at which they were offered. */
  seen: FingerprintCache
  order: UrlOrder
  /** By default one with a scanner of its own. */
  memo?: LinkMemo<NamedLink>
  maxHops: number
  /** Budget for matching the links of a page. */
  workOf(check: Check, url: string): PageWork
  onSkip(reason: SkipReason, watch: number): void
  onUnparsable(href: string, pageUrl: string): void
}

/** Expression steps before other pages have their turn: a few milliseconds. */
const SLICE = 500_000
const KEY_BYTES = 8
const SLASH = 0x2f
/** Characters of an overlong link kept as an example. */
const MAX_EXAMPLE = 2048

/**
 * WebRACE's six steps: links are found (`fastfind`), then here named (resolved, normalised, fingerprinted), known ones
 * dropped, and the rest sent through the steps; links that can't be named are logged; all links of a page are handed on at once.
 */
export function createLinkPipe(options: LinkPipeOptions): LinkPipe {
  const { steps, normaliser, fingerprinter, seen, order, maxHops, workOf, onSkip, onUnparsable } = options
  const offersKnown = order.rises !== undefined || order.revisits === true
  const slices = createSlices()
  const { memo = createLinkMemo<NamedLink>() } = options
  const draft: LinkDraft = { url: '', key: '', pageHost: '', work: workOf(noCheck, '') }
  // Signed, since larger numbers would each need a heap object in the memo.
  const fp = new Int32Array(2)
  let normalise = normaliser.onPage(prepareBase('http://invalid/'))
  const met = createMetLinks()
  let pageOrigin = ''
  let dropped: DroppedByRule | null = null
  /** Access (credentials, browser) of the page; null for plain requests. */
  let access: Access | null = null

  // A page seen by one check of one watch is new to all others: their fingerprints differ.
  let isForWatch = false
  let eyeHi = 0
  let eyeLo = 0

  function look({ watch, round }: Check): void {
    isForWatch = watch !== 0
    eyeHi = watch === 0 ? 0 : Math.imul(watch, 0x9e3779b1)
    eyeLo = watch === 0 ? 0 : Math.imul(round % 0x7fffffff, 0x85ebca6b) ^ watch
  }

  const seenDepth = (hi: number, lo: number): number => seen.get((hi ^ eyeHi) >>> 0, (lo ^ eyeLo) >>> 0)
  const noteSeen = (hi: number, lo: number, depth: number): void =>
    seen.set((hi ^ eyeHi) >>> 0, (lo ^ eyeLo) >>> 0, depth)

  /** Whether a link is known at this depth. A known link stays known, so the cache isn't asked again. */
  function isKnown(link: NamedLink, depth: number): boolean {
    if (isForWatch || offersKnown) return seenDepth(link.hi, link.lo) >= depth
    if (link.seen < depth) link.seen = seenDepth(link.hi, link.lo)
    return link.seen >= depth
  }

  function name(href: string): NamedLink | SkipReason | 'unparsable' {
    const named = normalise(href)
    if (named.kind === 'rejected') return refusals[named.reason]
    fingerprinter.write(named.key, fp, 0)
    return { url: named.url, key: named.key, hi: fp[0]!, lo: fp[1]!, path: null, seen: -1 }
  }

  function pass({ url, key }: NamedLink): StepVerdict {
    draft.url = url
    draft.key = key
    for (const step of steps) {
      const verdict = step.run(draft)
      if (verdict === null) continue
      if (step.rule !== undefined) drop(verdict === 'length' ? 'length' : step.rule, url)
      return verdict
    }
    return null
  }

  function drop(rule: TrapRule, url: string): void {
    dropped ??= new Map()
    const drops = dropped.get(rule) ?? { count: 0, urls: [] }
    if (drops.count++ === 0) dropped.set(rule, drops)
    if (drops.urls.length < maxDroppedExamples) drops.urls.push(url.slice(0, MAX_EXAMPLE))
  }

  function enter(page: PageContext): void {
    const base = baseOf(page)
    access = isOpen(page.url) ? null : accessOf(page.url)
    normalise = normaliser.onPage(base)
    memo.enter(base.prefix, base.directory)
    draft.pageHost = page.host
    draft.work = workOf(page.check, page.url)
    look(page.check)
    pageOrigin = originOf(page.url)
    met.clear()
  }

  function offerOf(link: NamedLink, page: PageContext, depth: number, hops: number): Offer {
    const { url, key, hi, lo } = link
    // By the key, so that hosts which the host rules declare equal share one queue and one set of seen URLs.
    const host = hostKey(key)
    const priority = order.priority(url, hops)
    const { check } = page
    const fp = toBigInt(hi, lo)
    const offer: Offer = { url, host, fp, parent: page.url, depth, hops, redirects: 0, priority, check }
    if (order.rises !== undefined) offer.rises = order.rises
    // Credentials and browser apply only to the host of the page.
    if (access === null || host !== page.host) return offer
    return { ...offer, url: withAccess(url, access), fp: fingerprinter.toBigInt(withAccess(key, access)) }
  }

  /**
   * Handles an unknown link. A refused link stays refused at any depth. An accepted one becomes known only when it is
   * actually offered: if the page turns out to be part of a trap, its links are not.
   */
  function consider(
    link: NamedLink,
    page: PageContext,
    depth: number | null,
    { offers, texts, hints }: Reading,
    { hint = 0, text = '' }: FoundLink<NamedLink>,
  ): void {
    if (page.hops >= maxHops) {
      onSkip('trap', page.check.watch) // too far by this way; a shorter one may still lead there
      drop('depth', link.url)
      return
    }
    const verdict = pass(link)
    if (verdict !== null) {
      onSkip(verdict, page.check.watch)
      noteSeen(link.hi, link.lo, UNLIMITED_DEPTH)
      return
    }
    if (depth === null) return
    offers.push(offerOf(link, page, depth, page.hops + 1))
    if (hint !== 0) hints.push({ at: offers.length - 1, hint })
    if (order.readsText === true) texts.push(text)
  }

  /** Offers a link to a known URL, for orders that use such links. It was counted when it was first met. */
  function offerKnown(
    link: NamedLink,
    page: PageContext,
    depth: number | null,
    { offers, texts, hints }: Reading,
    { hint = 0, text = '' }: FoundLink<NamedLink>,
  ): void {
    if (depth === null || page.hops >= maxHops || pass(link) !== null) return
    offers.push(offerOf(link, page, depth, page.hops + 1))
    if (hint !== 0) hints.push({ at: offers.length - 1, hint })
    if (order.readsText === true) texts.push(text)
  }

  function beginReading(found: Reading['found'], page: PageContext, startedAt: number): Reading {
    // Allocated from the runtime's buffer pool, whose slices are 8-byte aligned.
    const bytes = Buffer.allocUnsafe(found.length * KEY_BYTES)
    const keys = new Int32Array(bytes.buffer, bytes.byteOffset, found.length * 2)
    return {
      found,
      page,
      startedAt,
      read: 0,
      links: [],
      lines: [],
      bytes,
      keys,
      offers: [],
      texts: [],
      hints: [],
      work: draft.work,
      generation: memo.generation,
    }
  }

  /** False if it stopped early, to let other pages have their turn. */
  function readSlice(reading: Reading): boolean {
    const { found, page, links, lines, keys, work } = reading
    const depth = linkDepth(page.depth)
    const knownFrom = depth ?? 0
    const sliceEnd = work.spent + SLICE
    while (reading.read < found.length) {
      if (work.spent > sliceEnd) return false
      const given = found[reading.read++]!
      const { href, known } = given
      const slot = reading.generation === memo.generation ? (given.slot ?? -1) : -1
      let link = known ?? (slot === -1 ? null : memo.at(slot))
      if (link === null) {
        const named = name(href)
        if (typeof named === 'string') {
          if (named === 'unparsable') onUnparsable(href, page.url)
          else onSkip(named, page.check.watch)
          if (named === 'length') drop('length', href)
          continue
        }
        link = named
        if (slot !== -1) memo.keep(slot, link)
      }
      if (!met.add(link.hi, link.lo)) continue
      keys[links.length * 2] = link.hi
      keys[links.length * 2 + 1] = link.lo
      links.push(link.url)
      lines.push(lineOf(link))
      if (!isKnown(link, knownFrom)) consider(link, page, depth, reading, given)
      else if (offersKnown) offerKnown(link, page, depth, reading, given)
    }
    return true
  }

  /** Continues slice by slice; in between, the pipe is in other pages. */
  async function readOn(reading: Reading): Promise<PipedLinks> {
    const { page, keys, links, work } = reading
    for (let isDone = false; !isDone; ) {
      const mine = dropped
      dropped = null
      await slices.next(work.party)
      enter(page)
      draft.work = work
      dropped = mine
      for (let at = 0; at < links.length; at++) met.add(keys[at * 2]!, keys[at * 2 + 1]!)
      isDone = readSlice(reading)
    }
    return endReading(reading)
  }

  /** Links of the page's own origin are stored without it. */
  function lineOf(link: NamedLink): string {
    const { url } = link
    const length = pageOrigin.length
    if (url.charCodeAt(length) !== SLASH || !url.startsWith(pageOrigin)) return url
    link.path ??= url.slice(length)
    return link.path
  }

  function endReading(reading: Reading): PipedLinks {
    const { links, lines, bytes, offers, texts, hints, page, startedAt } = reading
    order.weigh?.(offers, { url: page.url, priority: page.priority ?? 0, text: page.text ?? '', linkTexts: texts })
    for (const { at, hint } of hints) offers[at]!.priority += hint
    const traps = takeDropped(page, startedAt)
    return { links, text: packLines(lines), keys: bytes.subarray(0, links.length * KEY_BYTES), offers, traps }
  }

  function takeDropped({ host, url: parent }: PageContext, at: number): DroppedLinks[] {
    if (dropped === null) return []
    const drops = [...dropped].map(([rule, { count, urls }]): DroppedLinks => {
      return { host, rule, count, examples: urls.map((url) => ({ url, parent, at })) }
    })
    dropped = null
    return drops
  }

  return {
    enter,
    memo,
    folderOf(page) {
      const { prefix, directory } = baseOf(page)
      return memo.folderOf(prefix, directory)
    },
    run(found, page, at) {
      const reading = beginReading(found, page, at)
      return readSlice(reading) ? endReading(reading) : readOn(reading)
    },
    unknown(bytes, page) {
      const knownFrom = linkDepth(page.depth) ?? 0
      look(page.check)
      // Copied if it isn't 4-byte aligned, as bytes from a database server may not be.
      const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
      const keys = new Uint32Array(buffer, byteOffset, (bytes.length / KEY_BYTES) * 2)
      const places: number[] = []
      for (let at = 0; at < keys.length; at += 2)
        if (offersKnown || seenDepth(keys[at]!, keys[at + 1]!) < knownFrom) places.push(at >> 1)
      return places
    },
    offered(offers) {
      for (const { fp, depth, check } of offers) {
        look(check)
        noteSeen(Number(BigInt.asUintN(32, fp >> 32n)), Number(BigInt.asUintN(32, fp)), depth)
      }
    },
    admit(url, page, fromSeed) {
      enter(page)
      const named = name(url)
      if (named === 'length') drop('length', url)
      if (typeof named === 'string') return named
      if (order.revisits !== true && seenDepth(named.hi, named.lo) >= page.depth) return 'known'
      const verdict = pass(named)
      return verdict === null || (verdict === 'scope' && fromSeed)
        ? offerOf(named, page, page.depth, page.hops)
        : verdict
    },
    table(url, page) {
      enter(page)
      const named = name(url)
      if (typeof named === 'string') return named
      if (seenDepth(named.hi, named.lo) >= page.depth) return 'known'
      const { rises: _, ...offer } = offerOf(named, page, page.depth, page.hops)
      return { ...offer, priority: TABLE_PRIORITY }
    },
    takeDropped,
  }
}

/** Progress of reading the links of a page. */
type Reading = {
  readonly found: readonly FoundLink<NamedLink>[]
  readonly page: PageContext
  readonly startedAt: number
  /** Number of links read so far. */
  read: number
  readonly links: string[]
  /** The links as they are stored. */
  readonly lines: string[]
  /** Their fingerprints, as bytes and as numbers. */
  readonly bytes: Buffer
  readonly keys: Int32Array
  readonly offers: Offer[]
  /** Hints of the offers that have one; `at` is the index of the offer. */
  readonly hints: { at: number; hint: number }[]
  /** Link texts of the offers; empty if the order reads no text. */
  readonly texts: string[]
  readonly work: PageWork
  /** Generation of the memo when the page was read; its slots are valid while it is unchanged. */
  readonly generation: number
}

const refusals = { length: 'length', scheme: 'scope', invalid: 'unparsable' } as const

function baseOf({ url, baseHref }: PageContext): ParsedBase {
  // Queued URLs are normalised: they need not be parsed again.
  const own = baseOfSerialised(withoutAccess(url))
  const declared = baseHref === undefined ? null : resolve(baseHref, own)
  // As in the HTML standard, a base with another scheme counts, and relative links then lead out of the web.
  return declared === null || /^(?:data|javascript):/.test(declared) ? own : prepareBase(declared)
}
