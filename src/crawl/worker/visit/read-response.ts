import type { KeptBody } from '../../../archive/kept-text.ts'
import { resourceRecord, responseRecord, revisitRecord } from '../../../archive/warc/record-writer.ts'
import type { FeedSchedule } from '../../../core/feed/feed.ts'
import { looksLikeFeed } from '../../../core/feed/read-feed.ts'
import { httpContentTypeEncoding } from '../../../core/http/charset.ts'
import { decodeBody } from '../../../core/http/decode-body.ts'
import type { Aspect } from '../../../core/profile.ts'
import { type Offer, pagePriority, type QueuedRequest } from '../../../core/request.ts'
import { documentText, type TextSource, textFingerprint } from '../../../core/text/document-text.ts'
import type { OmitRules } from '../../../core/text/omit-rules.ts'
import { bodyDigest, digestText } from '../../../core/url/fingerprint.ts'
import { prepareBase, resolve } from '../../../core/url/url.ts'
import { releaseMemory } from '../../../core/work/release-memory.ts'
import type { Capture, KnownDocument, OriginalCapture } from '../../../store/contracts/documents.ts'
import type { DroppedLinks as DroppedByTraps } from '../../../store/contracts/dropped-links.ts'
import type { FoundLink } from '../../extract/fastfind.ts'
import { extractFeed } from '../../extract/feed-page.ts'
import { feedTitle } from '../../extract/feed-title.ts'
import { extractPage, isXhtml as isXhtmlType } from '../../extract/page.ts'
import type { ThreadScanner } from '../../extract/scan-thread/thread-scanner.ts'
import {
  type FetchResponse,
  headerList,
  headerValue,
  headerValues,
  locationOf,
  mediaTypeOf,
} from '../../fetch/fetch-result.ts'
import { freshUntil, validatorsOf } from '../../fetch/validators.ts'
import { pageDirectives } from '../../robots/page-directives.ts'
import { headerLinks, parseLinkHeaders, refreshLinks, sitemapsOf } from '../../tables/link-header.ts'
import type { LinkPipe, NamedLink, PageContext, PipedLinks } from '../links/link-pipe.ts'
import type { RecordedPage } from '../reading/recorded-page.ts'
import { type DocumentReader, readable } from './readable.ts'
import { mayBeSitemap, type SitemapLinks, type SitemapLinksOptions, sitemapLinks } from './sitemap-links.ts'

/** The result of reading a response with a body. */
export type PageReading =
  | {
      kind: 'page'
      /** Null if another shard has read and recorded it. */
      capture: Capture | null
      recorded?: RecordedPage
      offers: Offer[]
      links: number
      dropped: DroppedLinks
      traps: DroppedByTraps[]
    }
  /** The page itself asks not to be stored; its links may still be followed. */
  | { kind: 'noindex'; offers: Offer[]; links: number; dropped: DroppedLinks; traps: DroppedByTraps[] }
  | { kind: 'undecodable'; message: string }

/** Number of ignored links, by reason. */
export type DroppedLinks = { limit: number; length: number; scope?: number }

/** Fingerprint of the text of a version under these rules; null if its body is not there. */
export type KeptText = (versionId: number, omit: OmitRules | null) => Promise<Buffer | null>

/** The aspects of a version as one string; null if its body is not there. */
export type KeptAspects = (versionId: number, asked: readonly Aspect[]) => Promise<string | null>

/** The body of a version; null if it is not there. */
export type KeptBodies = (versionId: number) => Promise<KeptBody | null>

export type ReadOptions = {
  pipe: LinkPipe
  /** Null if this thread scans all pages itself. */
  scanner: ThreadScanner | null
  /** Identifies the rules that name links: link keys made by other rules are useless. */
  linkNaming: number
  run: number
  maxBodyBytes: number
  maxLinks: number
  /** Product token for robots directives; null when they are not obeyed. */
  agent: string | null
  /** Parts of a page's text to ignore when comparing. */
  omitFor(url: string): OmitRules | null
  /** Null if every change of the bytes counts. */
  keptText: KeptText | null
  /** Aspects that make a new version for a watch, in addition to text and links. */
  aspectsOf(watch: number): readonly Aspect[]
  keptAspects: KeptAspects
  keptBody: KeptBodies
  /** Whether there are modules that need the answers. */
  givesAnswers: boolean
  media: DocumentReader
  sitemaps: SitemapLinksOptions
  /** Whether the URL order needs the text of pages. */
  readsText: boolean
}

const noneDropped: DroppedLinks = { limit: 0, length: 0 }
const noLinks: PipedLinks = { links: [], text: '', keys: new Uint8Array(), offers: [], traps: [] }

export async function readResponse(
  request: QueuedRequest,
  response: FetchResponse,
  known: KnownDocument | null,
  options: ReadOptions,
  completed = '',
): Promise<PageReading> {
  const { rawHeaders } = response
  const decoding = decodeBody(response.body, headerList(rawHeaders, 'content-encoding'), options.maxBodyBytes)
  const decoded = decoding instanceof Promise ? await decoding : decoding
  if (decoded.kind === 'failed') return { kind: 'undecodable', message: decoded.message }
  const contentType = headerList(rawHeaders, 'content-type')
  const { pipe, maxLinks, media } = options
  const document = { body: decoded.body, contentType, url: request.url }
  // The document from which text, title and links are read; awaited only if it isn't the body itself.
  const text = media.converts(document)
    ? await readable(document, media, wantedOf(request, decoded.body, known, options))
    : document
  const type = mediaTypeOf(rawHeaders)
  const isFeed = text === document && isFeedAsPage(type, decoded.body)
  const isXhtml = text === document && isXhtmlAsXml(type, decoded.body)
  const isHtml = text !== document || isXhtml || (!isFeed && isHtmlType(type, decoded.body))
  const context: PageContext = {
    url: request.url,
    host: request.host,
    baseHref: undefined,
    depth: request.depth,
    hops: request.hops,
    priority: pagePriority(request),
    check: request.check,
  }
  if (options.readsText) context.text = documentText(text.body, { contentType: text.contentType }) ?? ''
  const truncated = response.truncated ?? (decoded.truncated ? 'length' : null)
  const { startedAt } = response
  const sitemap = mayBeSitemap(request, contentType, decoded.body)
    ? await sitemapLinks(request, { ...document, isCut: truncated !== null, startedAt }, options.sitemaps)
    : null
  const typeOfPage = isXhtml ? typeAs('application/xhtml+xml', contentType) : text.contentType
  const { readsText: withTexts } = options
  const isScanned = isHtml && sitemap === null && text === document
  const scanning = options.scanner?.scan(
    decoded.body,
    isScanned ? { xml: isXhtmlType(typeOfPage), withTexts, folder: pipe.folderOf(context) } : null,
  )
  const scanned = scanning ? await scanning : null
  // No await from here until the links have gone through: the pipe handles one page at a time.
  if (scanned?.hasForgotten === true) pipe.memo.forget()
  if (isHtml) pipe.enter(context)
  const page =
    sitemap !== null
      ? null
      : isHtml
        ? extractPage(text.body, {
            contentType: typeOfPage,
            url: request.url,
            maxLinks,
            memo: pipe.memo,
            withTexts,
            findings: isScanned ? scanned?.findings : null,
          })
        : extractFeed(decoded.body, {
            contentType: isFeed ? typeAs('application/xml', contentType) : contentType,
            url: request.url,
            maxLinks,
          })
  if (!isHtml && page !== null) pipe.enter(context)
  const entered = page?.base === undefined ? context : { ...context, baseHref: page.base }
  if (entered !== context) pipe.enter(entered)
  const directives =
    options.agent === null
      ? null
      : pageDirectives({
          metas: page?.metas ?? [],
          xRobotsTag: headerValues(rawHeaders, 'x-robots-tag'),
          agent: options.agent,
        })
  const named = parseLinkHeaders(headerValues(rawHeaders, 'link'))
  const ofHeader = [
    ...headerLinks(named, request.url),
    ...refreshLinks(headerValues(rawHeaders, 'refresh'), request.url),
  ]
  const links = withHeaderLinks(page?.links, ofHeader, maxLinks)
  if (page === null && links !== undefined && sitemap === null) pipe.enter(context)
  const piped =
    sitemap?.found ??
    (links === undefined || directives?.nofollow === true ? noLinks : pipe.run(links, entered, response.startedAt))
  const found = piped instanceof Promise ? await piped : piped
  const { traps } = found
  const offers = [...(options.sitemaps.offers?.(request, request.url, sitemapsOf(named)) ?? []), ...found.offers]
  const dropped =
    sitemap !== null ? droppedEntries(sitemap) : page === null || found === noLinks ? noneDropped : droppedOf(page)
  if (directives?.noindex === true) return { kind: 'noindex', offers, links: found.links.length, dropped, traps }
  const digest = scanned?.digest ?? (await digestLater(decoded.body))
  const omit = options.omitFor(request.url)
  const { keptText } = options
  const compared =
    keptText === null || !mayDifferInText(known, digest)
      ? notCompared
      : await compareText(
          { known, digest, body: text.body, contentType: text.contentType, truncated: truncated ?? '', omit },
          keptText,
        )
  const asked = options.aspectsOf(request.check.watch)
  const differsFrom =
    known === null || known.versionId === 0 || !mayDiffer(known, digest, asked)
      ? 0
      : await differingVersion(known.versionId, { request, response, ...text }, asked, options)
  const capture = captureOf(request, response, decoded.body, {
    differsFrom,
    title: page === null ? feedTitle(decoded.body, contentType) : page.title,
    schedule: page !== null && 'schedule' in page ? page.schedule : undefined,
    dates: page !== null && 'dates' in page ? page.dates : sitemap?.dates,
    found,
    truncated,
    completed,
    options,
    digest,
    compared,
    textRules: omit?.id ?? 0,
  })
  return { kind: 'page', capture, offers, links: found.links.length, dropped, traps }
}

/** Pages that are read together are hashed together: see `inTurn` in visit-runner.ts. */
async function digestLater(body: Buffer): Promise<Buffer> {
  await undefined
  return bodyDigest(body)
}

/** The links of the page followed by those of the header; undefined if there are neither. */
function withHeaderLinks(
  links: FoundLink<NamedLink>[] | undefined,
  more: readonly FoundLink<NamedLink>[],
  maxLinks: number,
): readonly FoundLink<NamedLink>[] | undefined {
  return more.length === 0 ? links : [...(links ?? []), ...more].slice(0, maxLinks)
}

/** A new document is read only for its links; its text is needed for comparison with a kept version. */
function wantedOf(
  { check }: QueuedRequest,
  body: Buffer,
  known: KnownDocument | null,
  { readsText, aspectsOf }: ReadOptions,
): 'text' | 'links' {
  if (readsText) return 'text'
  if (known === null || known.versionId === 0) return 'links'
  return aspectsOf(check.watch).length === 0 && bodyDigest(body).equals(known.digest) ? 'links' : 'text'
}

/** The visible text of a page compared with that of the stored version. */
type TextComparison = {
  /** Fingerprint of the new text; null if it was not needed, or if the type has no text. */
  text: Buffer | null
  /** The version with the same text; 0 for none. */
  sameTextAs: number
}

const notCompared: TextComparison = { text: null, sameTextAs: 0 }

type TextQuestion = {
  known: KnownDocument | null
  digest: Buffer
  body: Buffer
  contentType: string | undefined
  truncated: string
  omit: OmitRules | null
}

/**
 * Extracts the text only if the bytes differ from the stored ones, so a first crawl does not pay for it. The stored text is compared under
 * the same rules, even if they have changed since; if its body was garbage-collected, its fingerprint was kept.
 */
export async function compareText(question: TextQuestion, keptText: KeptText): Promise<TextComparison> {
  const { known, digest, body, contentType, omit } = question
  if (!mayDifferInText(known, digest)) return notCompared
  const source: TextSource = { contentType, omit }
  const text = textFingerprint(body, source)
  if (text === null || question.truncated !== known.truncated) return { text, sameTextAs: 0 }
  const rules = omit?.id ?? 0
  const before = known.text !== null && known.textRules === rules ? known.text : await keptText(known.versionId, omit)
  return { text, sameTextAs: before !== null && text.equals(before) ? known.versionId : 0 }
}

function mayDifferInText(known: KnownDocument | null, digest: Buffer): known is KnownDocument {
  return known !== null && known.versionId !== 0 && !digest.equals(known.digest)
}

function droppedEntries({ limited, foreign }: SitemapLinks): DroppedLinks {
  return { limit: limited, length: 0, scope: foreign }
}

function droppedOf({ droppedLinks, longLinks }: { droppedLinks: number; longLinks: number }): DroppedLinks {
  return droppedLinks === 0 ? noneDropped : { limit: droppedLinks - longLinks, length: longLinks }
}

/** Equal bytes have equal aspects, except for status and headers. */
function mayDiffer(known: KnownDocument, digest: Buffer, asked: readonly Aspect[]): boolean {
  return asked.some((aspect) => aspect === 'status' || aspect === 'headers' || !digest.equals(known.digest))
}

type Answered = { request: QueuedRequest; response: FetchResponse; body: Buffer; contentType: string | undefined }

/** The kept version, if it differs in one of the aspects; else 0. */
async function differingVersion(
  versionId: number,
  { request, response, body, contentType }: Answered,
  asked: readonly Aspect[],
  { keptAspects }: ReadOptions,
): Promise<number> {
  const before = await keptAspects(versionId, asked)
  if (before === null) return 0
  // Loaded on demand: rarely needed, and large.
  const { readAspects } = await import('../../../core/change/aspects.ts')
  const { rawHeaders, status, statusLine } = response
  let header = `${statusLine}\r\n`
  for (let at = 0; at < rawHeaders.length; at += 2) header += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`
  const now = JSON.stringify(readAspects({ body, contentType, url: request.url, status, header }, asked))
  return now === before ? 0 : versionId
}

type PageFacts = {
  schedule: FeedSchedule | undefined
  dates: readonly number[] | undefined
  differsFrom: number
  title: string
  found: PipedLinks
  truncated: 'length' | 'time' | null
  /** Ids of the parts received, if not the whole page was. */
  completed: string
  options: ReadOptions
  digest: Buffer
  compared: TextComparison
  textRules: number
}

function releaseBodies(...bodies: Buffer[]): void {
  for (const body of bodies) releaseMemory(body)
}

function captureOf(request: QueuedRequest, response: FetchResponse, body: Buffer, facts: PageFacts): Capture {
  const { rawHeaders, status, address, startedAt } = response
  const { options, digest, compared, found } = facts
  const payload = body === response.body ? digest : bodyDigest(response.body)
  const { etag, lastModified } = validatorsOf(rawHeaders, startedAt)
  // Written out instead of spread from its parts: this runs for every page.
  const capture: Extract<Capture, { kind: 'body' }> = {
    kind: 'body',
    host: request.host,
    fp: request.fp,
    url: request.url,
    parent: request.parent,
    check: request.check,
    hops: request.hops,
    at: startedAt,
    run: request.check.watch === 0 ? options.run : request.check.watch,
    status,
    address,
    type: mediaTypeOf(rawHeaders),
    digest,
    size: body.length,
    etag,
    lastModified,
    freshUntil: freshUntil(rawHeaders, startedAt),
    differsFrom: facts.differsFrom,
    text: compared.text,
    sameTextAs: compared.sameTextAs,
    textRules: facts.textRules,
    truncated: facts.truncated ?? '',
    completed: facts.completed,
    title: facts.title,
    links: found.links,
    linkText: found.text,
    linkKeys: found.keys,
    linkNaming: options.linkNaming,
    render: (original) => recordOf(request, response, { body, payload, facts, original }),
  }
  if (facts.schedule !== undefined) capture.schedule = facts.schedule
  if (facts.dates !== undefined) capture.dates = facts.dates
  if (options.givesAnswers) capture.answer = { body, headers: rawHeaders }
  else capture.release = () => releaseBodies(response.body, body)
  return capture
}

type Recorded = { body: Buffer; payload: Buffer; facts: PageFacts; original: OriginalCapture | null }

function recordOf(
  { url: uri }: QueuedRequest,
  { statusLine, rawHeaders, address, startedAt: date, body: sent }: FetchResponse,
  { body, payload, facts, original }: Recorded,
): Uint8Array[] {
  const { truncated, completed } = facts
  const payloadDigest = digestText(payload)
  // No server sent these bytes as a response.
  if (completed !== '') {
    const contentType = headerValue(rawHeaders, 'content-type') ?? ''
    const refers = original === null ? null : { uri: original.url, date: original.at }
    return resourceRecord({ uri, date, address, contentType, body, payloadDigest, truncated: null, refers }).parts
  }
  if (original === null)
    return responseRecord({ uri, date, address, statusLine, rawHeaders, body: sent, payloadDigest, truncated }).parts
  return revisitRecord({
    ...{ uri, date, address, statusLine, rawHeaders, payloadDigest },
    ...{ profile: 'identical-payload-digest', refersToUri: original.url, refersToDate: original.at },
  }).parts
}

/** The target of a redirect; null if there is none that can be parsed. */
export function redirectTarget(request: QueuedRequest, response: FetchResponse): string | null {
  const location = locationOf(response.rawHeaders)
  return location === undefined ? null : resolve(location.trim(), prepareBase(request.url))
}

/** A feed served as a page, or without a type, as the MIME Sniffing standard tells them apart. Pages rarely begin like one. */
function isFeedAsPage(type: string, body: Buffer): boolean {
  return (type === 'text/html' || type === '') && feedStart.test(body.toString('latin1', 0, 64)) && looksLikeFeed(body)
}

const feedStart = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|rss|feed|rdf:)/i

/** A page served under the general type of XML: browsers go by its root. */
function isXhtmlAsXml(type: string, body: Buffer): boolean {
  return (type === 'application/xml' || type === 'text/xml') && xhtmlRoot.test(body.toString('latin1', 0, 1024))
}

const xhtmlRoot = /<html\s[^>]*xmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/

/** The type with the encoding that the server named. */
function typeAs(type: string, contentType = ''): string {
  const charset = httpContentTypeEncoding(contentType)
  return charset === undefined ? type : `${type}; charset=${charset}`
}

function isHtmlType(type: string, body: Buffer): boolean {
  if (type === 'text/html' || type === 'application/xhtml+xml') return true
  return type === '' && body.subarray(0, 512).includes('<')
}
