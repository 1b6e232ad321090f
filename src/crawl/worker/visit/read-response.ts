import { subtle } from 'node:crypto'
import type { KeptBody } from '../../../archive/kept-text.ts'
import { decodeBody } from '../../../core/http/decode-body.ts'
import type { Aspect } from '../../../core/profile.ts'
import { type Offer, pagePriority, type QueuedRequest } from '../../../core/request.ts'
import type { BodyWork } from '../../../core/text/body-work.ts'
import { documentText } from '../../../core/text/document-text.ts'
import type { OmitRules } from '../../../core/text/omit-rules.ts'
import { bodyDigest } from '../../../core/url/fingerprint.ts'
import { prepareBase, resolve } from '../../../core/url/url.ts'
import type { Capture, KnownDocument } from '../../../store/contracts/documents.ts'
import type { DroppedLinks as DroppedByTraps } from '../../../store/contracts/dropped-links.ts'
import type { Found, FoundLink } from '../../extract/fastfind.ts'
import { extractFeed, type FeedPage } from '../../extract/feed-page.ts'
import { feedTitle } from '../../extract/feed-title.ts'
import { extractPage, isXhtml as isXhtmlType } from '../../extract/page.ts'
import type { ThreadScanner } from '../../extract/scan-thread/thread-scanner.ts'
import { extractStyleSheet } from '../../extract/style-sheet.ts'
import { type FetchResponse, headerList, headerValues, locationOf, mediaTypeOf } from '../../fetch/fetch-result.ts'
import { pageDirectives } from '../../robots/page-directives.ts'
import { headerLinks, parseLinkHeaders, refreshLinks, sitemapsOf } from '../../tables/link-header.ts'
import type { LinkPipe, NamedLink, PageContext, PipedLinks } from '../links/link-pipe.ts'
import type { RecordedPage } from '../reading/recorded-page.ts'
import {
  compareText,
  differingVersion,
  type KeptAspects,
  type KeptText,
  mayDiffer,
  mayDifferInText,
  notCompared,
} from './compare-versions.ts'
import { captureOf, type RecordOptions } from './page-capture.ts'
import { isFeedAsPage, isHtmlType, isXhtmlAsXml, typeAs } from './page-type.ts'
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

/** The body of a version; null if it is not there. */
export type KeptBodies = (versionId: number) => Promise<KeptBody | null>

export type ReadOptions = RecordOptions & {
  pipe: LinkPipe
  /** Null if this thread scans all pages itself. */
  scanner: ThreadScanner | null
  bodyWork: BodyWork
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
  media: DocumentReader
  sitemaps: SitemapLinksOptions
  /** Whether the URL order needs the text of pages. */
  readsText: boolean
}

/** A page, or a feed or style sheet read as one. */
type ReadPage = Found<NamedLink> & Partial<Pick<FeedPage, 'schedule' | 'dates'>>

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
  const page: ReadPage | null =
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
        : type === 'text/css'
          ? extractStyleSheet(decoded.body, { contentType, maxLinks })
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
          options.bodyWork,
        )
  const asked = options.aspectsOf(request.check.watch)
  const differsFrom =
    known === null || known.versionId === 0 || !mayDiffer(known, digest, asked)
      ? 0
      : await differingVersion(known.versionId, { request, response, ...text }, asked, options)
  const capture = captureOf(request, response, decoded.body, {
    differsFrom,
    title: page === null ? feedTitle(decoded.body, contentType) : page.title,
    schedule: page?.schedule,
    dates: page?.dates ?? sitemap?.dates,
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

/** Larger bodies are hashed by another thread; they are copied for it, which takes a fraction of the time. */
const MAX_HASHED_HERE = 1 << 20

/** Pages that are read together are hashed together: see `inTurn` in visit-runner.ts. */
async function digestLater(body: Buffer): Promise<Buffer> {
  if (body.length > MAX_HASHED_HERE) return Buffer.from(await subtle.digest('SHA-256', body))
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

function droppedEntries({ limited, foreign }: SitemapLinks): DroppedLinks {
  return { limit: limited, length: 0, scope: foreign }
}

function droppedOf({ droppedLinks, longLinks }: { droppedLinks: number; longLinks: number }): DroppedLinks {
  return droppedLinks === 0 ? noneDropped : { limit: droppedLinks - longLinks, length: longLinks }
}

/** The target of a redirect; null if there is none that can be parsed. */
export function redirectTarget(request: QueuedRequest, response: FetchResponse): string | null {
  const location = locationOf(response.rawHeaders)
  return location === undefined ? null : resolve(location.trim(), prepareBase(request.url))
}
