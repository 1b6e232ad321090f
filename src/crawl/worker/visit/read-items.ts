import { resourceRecord } from '../../../archive/warc/record-writer.ts'
import { escapeHtml } from '../../../core/html/escape.ts'
import { linkDepth, type Offer, type QueuedRequest } from '../../../core/request.ts'
import { accessOf, withAccess, withoutAccess } from '../../../core/url/access.ts'
import { bodyDigest, digestText } from '../../../core/url/fingerprint.ts'
import { hostKey } from '../../../core/url/partition.ts'
import type { Capture, DocumentKey, KnownDocument } from '../../../store/contracts/documents.ts'
import type { ItemBody, List, Part } from '../../fetch/protocol.ts'
import { compareText } from './compare-versions.ts'
import { readItemFacts } from './item-facts.ts'
import { STATUS_GONE, STATUS_READ, validatorOf } from './protocol-visit.ts'
import type { ReadOptions } from './read-response.ts'
import { readable } from './readable.ts'
import type { ProtocolReading, ReadItem } from './visit-result.ts'

export type ReadItemsOptions = ReadOptions & {
  keyOf(url: string): DocumentKey
  /** Whether bodies of a media type are collected. */
  acceptsMediaType(mediaType: string): boolean
  /** Whether a nested list is in the scope of the request. */
  covers(request: QueuedRequest, url: string): boolean
}

/** The captures of a reading: of the list or the item itself, and of its items; with offers of nested lists. */
export type ReadCaptures = { capture: Capture | null; parts: Capture[]; offers: Offer[]; links: number }

type Facts = { at: number; address: string; run: number }

export async function capturesOf(
  request: QueuedRequest,
  reading: ProtocolReading,
  known: KnownDocument | null,
  options: ReadItemsOptions,
): Promise<ReadCaptures> {
  const { list, items, missing } = reading
  const { watch } = request.check
  const facts: Facts = { at: reading.startedAt, address: reading.address, run: watch === 0 ? options.run : watch }
  const self = list === null ? items.find(({ url }) => url === request.url) : undefined
  const parts: Capture[] = []
  let capture: Capture | null = list === null ? null : listCapture(request, list, facts)
  const offers: Offer[] = []
  let links = 0
  for (const each of items) {
    const read = await captureOf(request, each, facts, options)
    if (each === self) capture = read.capture
    else if (read.capture !== null) parts.push(read.capture)
    parts.push(...read.parts)
    for (const url of read.links) offer(url)
    links += read.links.length
  }
  function offer(url: string): void {
    const depth = linkDepth(request.depth)
    const own = withAccess(url, accessOf(request.url))
    if (depth === null || own === request.url || hostKey(url) !== request.host) return
    if (!options.covers(request, own)) return
    const { host, fp } = options.keyOf(own)
    const hops = request.hops + 1
    const { url: parent, check } = request
    offers.push({ url: own, host, fp, parent, depth, hops, redirects: 0, priority: hops, check })
  }
  for (const { url } of list?.lists ?? []) offer(url)
  for (const url of missing) {
    // A nested list that is missing is requested, to find out whether it is gone.
    if (url.endsWith('/')) offer(url)
    else parts.push(goneCapture(request, withAccess(url, accessOf(request.url)), facts, options))
  }
  if (capture === null && known !== null && reading.failure === null && self !== undefined)
    capture = {
      kind: 'note',
      outcome: 'unchanged',
      reason: '',
      location: '',
      freshUntil: null,
      ...base(request, facts),
    }
  return { capture, parts, offers, links: links + (list?.lists.length ?? 0) }
}

/** Captures an item, unless the kept version is current, and what came with it. `links` are those with the scheme of the item. */
async function captureOf(
  request: QueuedRequest,
  { item, url, key, known, result }: ReadItem,
  facts: Facts,
  options: ReadItemsOptions,
): Promise<{ capture: Capture | null; parts: Capture[]; links: readonly string[] }> {
  const nothing = { capture: null, parts: [], links: [] }
  const own = { ...base(request, facts), ...key, url }
  if (url !== request.url) own.parent = request.url
  if (result.kind === 'kept') {
    const isNews = request.check.first || known?.run !== request.check.watch
    return request.check.watch > 0 && isNews ? { ...nothing, capture: { kind: 'met', ...own } } : nothing
  }
  if (result.kind === 'failed') {
    const { code } = result.error
    if (code === 'not-found') return { ...nothing, capture: goneCapture(request, url, facts, options) }
    const note = { kind: 'note', outcome: 'failed', reason: code, location: '', freshUntil: null } as const
    return { ...nothing, capture: { ...own, ...note, status: 0 } }
  }
  const { body } = result
  if (!isCollected(body, options)) {
    const note = { kind: 'note', outcome: 'skipped', reason: 'type', location: '', freshUntil: null } as const
    return { ...nothing, capture: { ...own, ...note } }
  }
  const digest = bodyDigest(body.body)
  const document = { body: body.body, contentType: body.type, url: withoutAccess(url) }
  const text = await readable(document, options.media)
  const { title, links } = readItemFacts(text.body, text.contentType, { url: text.url, maxLinks: options.maxLinks })
  const truncated = body.isCut ? 'length' : ''
  const omit = options.omitFor(url)
  const question = { known, digest, body: text.body, contentType: text.contentType, truncated, omit }
  const compared =
    options.keptText === null
      ? { text: null, sameTextAs: 0 }
      : await compareText(question, options.keptText, options.bodyWork)
  const capture = bodyCapture(own, body, digest, {
    ...{ title: title || body.title || item.name, etag: item.validator, links },
    ...{ ...compared, textRules: omit?.id ?? 0 },
  })
  const parts = (body.parts ?? []).map((part) => partCapture(request, url, part, facts, options))
  const scheme = schemeOf(item.url)
  return { capture, parts, links: links.filter((link) => link.startsWith(scheme)) }
}

function isCollected({ type }: ItemBody, { acceptsMediaType }: ReadItemsOptions): boolean {
  const media = type.replace(/;.*/s, '').trim().toLowerCase()
  // Messages and rows are what the source is for.
  return media === 'message/rfc822' || media === 'application/json' || acceptsMediaType(media)
}

function partCapture(
  request: QueuedRequest,
  of: string,
  { url, name, validator, body, role }: Part,
  facts: Facts,
  options: ReadItemsOptions,
): Capture {
  const own = withAccess(url, accessOf(request.url))
  const { hops } = request
  const place = { ...options.keyOf(own), url: own, parent: of, hops: role === 'linked' ? hops + 1 : hops }
  return bodyCapture(
    { ...base(request, facts), ...place, ...(role === 'silent' && { silent: true }) },
    body,
    bodyDigest(body.body),
    { title: body.title ?? name, etag: validator, links: [], text: null, sameTextAs: 0, textRules: 0 },
  )
}

function listCapture(request: QueuedRequest, list: List, facts: Facts): Capture {
  const etag = validatorOf(list)
  // Nothing new since the last look: the kept list is still current.
  if (!list.isWhole && list.items.length === 0 && list.lists.length === 0) {
    const note = { kind: 'note', outcome: 'unchanged', reason: '', location: '', freshUntil: null } as const
    return { ...base(request, facts), ...note, silent: true }
  }
  const body = { type: 'text/html; charset=utf-8', body: Buffer.from(listPage(list)), isCut: false }
  const links = [...list.items, ...list.lists].map(({ url }) => url)
  const found = { title: list.title, etag, links, text: null, sameTextAs: 0, textRules: 0 }
  const digest = bodyDigest(body.body)
  return bodyCapture({ ...base(request, facts), silent: true }, body, digest, found)
}

/** A list as a page of links. */
function listPage({ title, items, lists, left }: List): string {
  const row = ({ url, name }: { url: string; name: string }): string =>
    `<li><a href="${escapeHtml(url)}">${escapeHtml(name)}</a></li>\n`
  const note = left === '' ? '' : `<p>${escapeHtml(left)}</p>\n`
  const rows = [...lists, ...items].map(row).join('')
  return `<!doctype html>\n<meta charset="utf-8">\n<title>${escapeHtml(title)}</title>\n<ul>\n${rows}</ul>\n${note}`
}

type Base = Omit<Extract<Capture, { kind: 'met' }>, 'kind'>

function base({ host, fp, url, parent, check, hops }: QueuedRequest, { at, address, run }: Facts): Base {
  return { host, fp, url, parent, check, hops, at, run, status: STATUS_READ, address }
}

type BodyFacts = {
  title: string
  etag: string
  links: readonly string[]
  text: Buffer | null
  sameTextAs: number
  textRules: number
}

function bodyCapture(own: Base, { type, body, isCut }: ItemBody, digest: Buffer, facts: BodyFacts): Capture {
  const common = {
    ...{ uri: withoutAccess(own.url), date: own.at, address: own.address === '' ? null : own.address },
    ...{ contentType: type, body, payloadDigest: digestText(digest), truncated: isCut ? ('length' as const) : null },
  }
  return {
    kind: 'body',
    ...own,
    type: type.replace(/;.*/s, '').trim().toLowerCase(),
    ...{ digest, size: body.length, lastModified: '', truncated: isCut ? 'length' : '', freshUntil: 0 },
    ...facts,
    ...{ linkKeys: new Uint8Array(), linkNaming: 0, answer: { body, headers: ['content-type', type] } },
    render: (original) =>
      resourceRecord({ ...common, refers: original === null ? null : { uri: original.url, date: original.at } }).parts,
  }
}

/** Captures that a document is not there any more; the record says so, as proof. */
export function goneCapture(
  request: QueuedRequest,
  url: string,
  facts: Facts,
  { keyOf }: Pick<ReadItemsOptions, 'keyOf'>,
): Capture {
  const uri = withoutAccess(url)
  const body = Buffer.from(`${uri} was not found any more.\n`)
  const record = {
    ...{ uri, date: facts.at, address: facts.address === '' ? null : facts.address, body, refers: null },
    ...{ contentType: 'text/plain; charset=utf-8', payloadDigest: digestText(bodyDigest(body)), truncated: null },
  }
  return {
    kind: 'gone',
    ...base(request, facts),
    ...keyOf(url),
    url,
    status: STATUS_GONE,
    outcome: 'failed',
    reason: 'not-found',
    location: '',
    render: () => resourceRecord(record).parts,
  }
}

const schemeOf = (url: string): string => url.slice(0, url.indexOf(':') + 1)
