import { isUtf8 } from 'node:buffer'
import { decodeHTMLStrict, replaceCodePoint } from 'entities/decode'
import { Parser } from 'htmlparser2'
import {
  absolute,
  type Enclosure,
  emptyFeed,
  escaped,
  type Feed,
  type FeedEntry,
  feedLimits,
  languageName,
} from './feed.ts'
import { parseFeedDate } from './feed-date.ts'
import {
  categoryAttributes,
  channelFields,
  type DateField,
  days,
  enclosureElements,
  entryFields,
  type Field,
  feedNamespace,
  heldFields,
  type Listed,
  linkRank,
  originalRank,
  otherKindRank,
  periodMinutes,
  ranks,
  vocabularies,
} from './feed-names.ts'

/** The parser scans all open elements at each tag, so depth costs time. */
const maxDepth = 512
const pieceLength = 16_384
const maxPrefixes = 1000
/** Known namespaces are far shorter. */
const maxNamespace = 200
/** Longer addresses aren't resolved against. */
const maxBase = 2000

const elementName = /^[a-z][a-z0-9]*$/i
const voidElement = /^(?:area|br|col|embed|hr|img|input|source|track|wbr)$/
const pageType = /^(?:text\/html|application\/xhtml\+xml)(?:\s*;.*)?$/i
/** Atom: content of these types is in base64. */
const encodedType = /^(?:image|audio|video|font|application)\/(?!(?:.*\+)?xml\b)(?!xhtml|html)/

/** The text of an element being read. */
type Capture = { readonly depth: number; readonly field: Field; readonly mode: Mode; html: string }
/** The text is HTML, plain text, or HTML in base64. */
type Mode = 'html' | 'literal' | 'base64'

/** RSS 0.9x, 1.0 and 2.0, and Atom, read leniently; null if it isn't a feed. */
export function readXmlFeed(source: string): Feed | null {
  const reader = new FeedReader()
  reader.read(source)
  return reader.feed
}

type OpenEntry = {
  readonly depth: number
  readonly found: Map<Field, string>
  readonly lists: Record<Listed, string[]>
  readonly enclosures: Enclosure[]
  readonly base: string
  readonly dates: Partial<Record<DateField, number | null>>
  link: string
  rank: number
  /** The id may be the address of the entry. */
  isPermalink: boolean
}

class FeedReader {
  feed: Feed | null = null
  private readonly open: string[] = []
  private readonly prefixes = new Map<string, string>()
  private entry: OpenEntry | null = null
  private readonly channel = new Map<Field, string>()
  private readonly lists: Record<Listed, string[]> = { author: [], category: [] }
  private capture: Capture | null = null
  private isTooDeep = false
  /** Attributes of an entry that began in the open one. */
  private inner: Record<string, string> | null = null

  read(source: string): void {
    const parser = new Parser(
      {
        onopentag: (name, attributes) => this.start(name, attributes),
        onclosetag: () => this.end(),
        ontext: (text) => this.text(text),
      },
      { xmlMode: true, decodeEntities: true },
    )
    for (let at = 0; at < source.length && this.feed?.isCut !== true && !this.isTooDeep; at += pieceLength)
      parser.write(source.slice(at, at + pieceLength))
    parser.end()
    if (this.feed !== null) this.endFeed(this.feed)
  }

  /** Sets what is known only at the end: some feeds state it after their entries. */
  private endFeed(feed: Feed): void {
    feed.title ||= this.channel.get('otherTitle') ?? ''
    feed.description = this.channel.get('description') ?? ''
    feed.icon = (this.channel.get('icon') ?? '').trim()
    feed.language ||= languageName(this.channel.get('language') ?? '')
    feed.author = this.lists.author.join(', ')
    feed.categories = this.lists.category
    const ttl = Number.parseInt(this.channel.get('ttl') ?? '', 10)
    const period = periodMinutes.get((this.channel.get('period') ?? '').trim().toLowerCase())
    const frequency = Number.parseInt(this.channel.get('frequency') ?? '1', 10)
    if (ttl > 0) feed.schedule.ttlMinutes = ttl
    else if (period !== undefined && frequency > 0)
      feed.schedule.ttlMinutes = Math.max(1, Math.floor(period / frequency))
  }

  private start(rawName: string, attributes: Record<string, string>): void {
    if (this.open.length >= maxDepth) {
      if (this.feed !== null) this.feed.isCut = true
      this.isTooDeep = true
    }
    if (this.isTooDeep) return
    if (this.capture === null) this.readPrefixes(attributes)
    if (this.open.length === 0 && this.feed === null) this.begin(rawName, attributes)
    const name = this.nameOf(rawName, attributes)
    this.open.push(name)
    if (this.feed === null) return
    if (this.capture !== null) {
      if (elementName.test(name)) this.capture.html += `<${name}${keptAttributes(attributes)}>`
    } else if (this.entry !== null) this.startInEntry(name, attributes)
    else if (isEntryName(name)) this.startEntry(attributes, this.open.length)
    else this.startInChannel(name, attributes)
  }

  /** The last declaration of a prefix counts until the end: feeds don't use one for several vocabularies. */
  private readPrefixes(attributes: Record<string, string>): void {
    for (const name in attributes)
      if (name.startsWith('xmlns:') && this.prefixes.size < maxPrefixes && attributes[name]!.length <= maxNamespace)
        this.prefixes.set(name.slice(6), attributes[name]!.trim())
  }

  private begin(rawName: string, attributes: Record<string, string>): void {
    const local = rawName.replace(/^.*:/, '').toLowerCase()
    if (local === 'rss' || local === 'feed' || local === 'rdf')
      this.feed = { ...emptyFeed(), base: baseOf(attributes), language: languageOf(attributes) }
  }

  /** Feed elements have plain names, other vocabularies a prefix. In RSS, Atom is another vocabulary. */
  private nameOf(rawName: string, attributes: Record<string, string>): string {
    const name = rawName.toLowerCase()
    const colon = name.indexOf(':')
    if (name === 'channel' || isEntryName(name)) return name
    const declared = attributes.xmlns
    const own = colon === -1 && declared !== undefined && declared.length <= maxNamespace ? declared.trim() : undefined
    if (colon === -1 && own === undefined) return name
    const namespace = own ?? this.prefixes.get(rawName.slice(0, colon)) ?? ''
    const isForeignAtom = /atom/i.test(namespace) && this.open.length > 0 && !/feed$/.test(this.open[0]!)
    const local = name.slice(colon + 1)
    // The parts of a person.
    if (isForeignAtom && this.capture !== null) return local
    if (feedNamespace.test(namespace) && !isForeignAtom) return local
    const prefix = vocabularies.get(namespace.toLowerCase())
    return prefix === undefined ? name : `${prefix}:${local}`
  }

  private startEntry(attributes: Record<string, string>, depth: number): void {
    const about = attributes['rdf:about'] ?? ''
    this.entry = {
      depth,
      found: new Map(about === '' ? [] : [['id', about]]),
      lists: { author: [], category: [] },
      enclosures: [],
      base: baseOf(attributes),
      dates: {},
      link: '',
      rank: 0,
      isPermalink: true,
    }
    const language = languageOf(attributes)
    if (language !== '') this.entry.found.set('language', language)
  }

  private startInChannel(name: string, attributes: Record<string, string>): void {
    const parent = this.open.at(-2)
    if (name === 'channel') this.feed!.base = withBase(this.feed!.base, attributes)
    const held = heldFields.get(`${parent}/${name}`)
    if (held !== undefined) this.startCapture(held, attributes)
    if (name === 'itunes:category') this.category(this.lists, name, attributes)
    if (held !== undefined || (parent !== 'channel' && parent !== 'feed')) return
    if ((name === 'link' || name.endsWith(':link')) && attributes.href !== undefined) {
      this.channelLink(addressOf(attributes.href, attributes), relationOf(attributes))
      return
    }
    if (name !== 'itunes:category' && this.category(this.lists, name, attributes)) return
    const field = channelFields.get(name)
    if (field !== undefined) this.startCapture(field, attributes)
  }

  private channelLink(href: string, rel: string): void {
    const feed = this.feed!
    if (href.trim() === '') return
    if (rel === 'alternate') feed.site ||= href
    else if (rel === 'self') feed.self ||= href
    else if (rel === 'hub' && feed.hubs.length < feedLimits.categories) feed.hubs.push(href)
  }

  private category(lists: Record<Listed, string[]>, name: string, attributes: Record<string, string>): boolean {
    const attribute = categoryAttributes.get(name)
    const value = attribute === undefined ? undefined : (attributes.label ?? attributeOf(attributes, attribute))
    if (value === undefined) return false
    addTo(lists.category, value)
    return true
  }

  private startInEntry(name: string, attributes: Record<string, string>): void {
    if (this.open.length === this.entry!.depth + 1) this.inner = isEntryName(name) ? attributes : null
    // An entry with fields, directly in another, means that the other wasn't closed.
    else if (this.inner !== null && this.open.length === this.entry!.depth + 2 && entryFields.has(name)) {
      this.endEntry()
      this.startEntry(this.inner, this.open.length - 1)
      this.inner = null
    }
    const entry = this.entry!
    const isChild = this.open.length === entry.depth + 1
    if (isChild && (name === 'link' || name === 'atom:link') && attributes.href !== undefined) {
      const href = addressOf(attributes.href, attributes)
      this.entryLink(entry, href, relationOf(attributes), (attributes.type ?? '').trim())
      return
    }
    const address = enclosureElements.get(name)
    if (address !== undefined)
      this.enclosure(entry, attributeOf(attributes, address), name === 'media:thumbnail' ? 'image' : attributes.type)
    if (isChild && name === 'enclosure' && attributes.url !== undefined) this.atomLink(attributes.url, 'enclosure')
    if ((isChild || name === 'media:category') && this.category(entry.lists, name, attributes)) return
    if (isChild && name === 'guid')
      entry.isPermalink = !/^\s*false\s*$/i.test(attributes.isPermaLink ?? attributes.ispermalink ?? '')
    const field = entryFields.get(name)
    if (field === undefined || (!isChild && field !== 'media')) return
    this.startCapture(field, attributes, name)
  }

  private entryLink(entry: OpenEntry, href: string, rel: string, type: string): void {
    if (rel === 'enclosure') this.enclosure(entry, href, type)
    else if (rel === 'replies' && pageType.test(type)) entry.found.set('comments', href)
    if (rel === 'alternate' && type !== '' && !pageType.test(type)) this.link(href, otherKindRank)
    else this.atomLink(href, rel)
  }

  private enclosure(entry: OpenEntry, url: string | undefined, type: string | undefined): void {
    if (url === undefined || url.trim() === '' || entry.enclosures.length >= feedLimits.enclosures) return
    entry.enclosures.push({ url: url.trim(), type: (type ?? '').trim() })
  }

  private atomLink(href: string, rel: string): void {
    this.link(href, ranks.get(rel) ?? 2)
  }

  /** Of several links, the one with the highest rank counts. */
  private link(address: string, rank: number): void {
    const { entry } = this
    if (address.trim() === '' || entry!.rank >= rank) return
    entry!.rank = rank
    entry!.link = address
  }

  private startCapture(field: Field, attributes: Record<string, string>, name = ''): void {
    const type = (attributes.type ?? '').toLowerCase()
    const isText = type === 'text' || type === 'text/plain'
    const isMarkup = type === 'xhtml' || type === 'application/xhtml+xml' || attributes.mode === 'xml'
    const isLiteral = isText || isMarkup || (name === 'summary' && type === '')
    const isEncoded = attributes.mode === 'base64' || encodedType.test(type.trim())
    const mode = isEncoded ? 'base64' : isLiteral ? 'literal' : 'html'
    this.capture = {
      depth: this.open.length,
      field,
      mode: field === 'link' || field === 'originalLink' || field === 'id' ? 'html' : mode,
      html: '',
    }
  }

  private text(text: string): void {
    if (this.capture === null) return
    // A reference that XML knows comes on its own, so those within a text were not resolved.
    const shown = text.length === 1 ? printable(text) : text
    if (this.capture.mode !== 'literal') this.capture.html += shown
    else this.capture.html += escaped(shown.length > 1 && shown.includes('&') ? decodeHTMLStrict(shown) : shown)
  }

  private end(): void {
    if (this.isTooDeep) return
    const depth = this.open.length
    const name = this.open.pop()
    if (this.capture !== null) {
      if (depth === this.capture.depth) this.endCapture(this.capture)
      else if (name !== undefined && elementName.test(name) && !voidElement.test(name))
        this.capture.html += `</${name}>`
    } else if (this.entry?.depth === depth) this.endEntry()
  }

  private endCapture({ field, mode, html: source }: Capture): void {
    this.capture = null
    const html = mode === 'base64' ? fromBase64(source, field) : source
    if (html.trim() === '') return
    if (field === 'author') addTo((this.entry?.lists ?? this.lists).author, authorOf(html))
    else if (field === 'category') addTo((this.entry?.lists ?? this.lists).category, html)
    else if (this.entry === null) this.endInChannel(field, html)
    else if (field === 'link') this.link(html, linkRank)
    else if (field === 'originalLink') this.link(html, originalRank)
    else if (field === 'originalEnclosure') this.originalEnclosure(this.entry, html.trim())
    else if (isDateField(field)) this.entry.dates[field] ??= parseFeedDate(html)
    else if (field === 'id' || !this.entry.found.has(field)) this.entry.found.set(field, html)
  }

  private endInChannel(field: Field, html: string): void {
    const { schedule } = this.feed!
    if (field === 'title') this.feed!.title ||= html
    else if (field === 'link') this.feed!.site ||= html
    else if (field === 'skipHour') {
      // Some write midnight as 24.
      const hour = Number.parseInt(html, 10)
      if (hour >= 0 && hour <= 24 && schedule.skipHours.length < 24) schedule.skipHours.push(hour % 24)
    } else if (field === 'skipDay') {
      const day = days.indexOf(html.trim().toLowerCase())
      if (day !== -1 && schedule.skipDays.length < 7) schedule.skipDays.push(day)
    } else if (!this.channel.has(field)) this.channel.set(field, html)
  }

  /** The enclosure itself goes through a click counter. */
  private originalEnclosure({ enclosures }: OpenEntry, url: string): void {
    if (enclosures[0] === undefined) enclosures.push({ url, type: '' })
    else enclosures[0] = { ...enclosures[0], url }
  }

  private endEntry(): void {
    const { found, link, rank, lists, enclosures, base, dates, isPermalink } = this.entry!
    this.entry = null
    const { entries } = this.feed!
    if (entries.length >= feedLimits.entries) {
      this.feed!.isCut = true
      return
    }
    const id = found.get('id') ?? ''
    const permalink = isPermalink && /^https?:\/\//i.test(id.trim()) ? id : ''
    const entry: FeedEntry = {
      id,
      title: found.get('title') ?? found.get('otherTitle') ?? '',
      // A guid that is an address links to the entry, unless the feed has another link than that of a file.
      link: rank === ranks.get('enclosure') ? permalink || link : link || permalink,
      html: found.get('content') ?? found.get('summary') ?? found.get('media') ?? '',
      date: dates.date ?? dates.created ?? dates.changed ?? null,
      author: lists.author.join(', '),
      categories: lists.category,
      comments: found.get('comments') ?? '',
      language: languageName(found.get('language') ?? ''),
      enclosures,
      base,
    }
    entries.push(entry)
  }
}

/** What a reader can follow or see of an element within a text. */
function keptAttributes(attributes: Record<string, string>): string {
  let kept = ''
  for (const name of ['href', 'src', 'alt']) {
    const value = attributeOf(attributes, name)
    if (value !== undefined) kept += ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`
  }
  return kept
}

const isDateField = (field: Field): field is DateField => field === 'date' || field === 'created' || field === 'changed'

/** Ignored if it is too long. */
function baseOf(attributes: Record<string, string>): string {
  const base = attributes['xml:base'] ?? ''
  return base.length > maxBase ? '' : base.trim()
}

/** The base of an element within another; any element may have one. */
function withBase(outer: string, attributes: Record<string, string>): string {
  const own = baseOf(attributes)
  if (own === '') return outer
  const joined = absolute(own, outer)
  return joined.length > maxBase ? outer : joined
}

const addressOf = (href: string, attributes: Record<string, string>): string =>
  absolute(href.trim(), withBase('', attributes))

/** A relation may be written as an address. */
function relationOf({ rel = '' }: Record<string, string>): string {
  const name = rel.trim().toLowerCase()
  return name.replace(/^https?:\/\/www\.iana\.org\/assignments\/relation\//, '') || 'alternate'
}

/** Content that is a file is shown only if it is text. A text that isn't encoded, despite its type, is taken as it is. */
function fromBase64(source: string, field: Field): string {
  if (/[^\w+/=\s-]/.test(source)) return source
  const bytes = Buffer.from(source, 'base64')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return field === 'content' ? '' : source
}

/** Some feeds refer to characters by their numbers in Windows. Other control characters aren't text. */
function printable(character: string): string {
  const code = character.charCodeAt(0)
  if ((code >= 0x20 && code < 0x7f) || code >= 0xa0 || /\s/.test(character)) return character
  const point = replaceCodePoint(code)
  return point < 0xa0 || point === 0xfffd ? '' : String.fromCharCode(point)
}

const isEntryName = (name: string): boolean => name === 'item' || name === 'entry'

const languageOf = (attributes: Record<string, string>): string => languageName(attributes['xml:lang'] ?? '')

function addTo(list: string[], text: string): void {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line !== '' && list.length < feedLimits.categories && !list.includes(line)) list.push(line)
}

/** In Atom the person's name, or else the address; in RSS the text as it is. */
function authorOf(html: string): string {
  const part = (name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(html)?.[1]?.trim() ?? ''
  return part('name') || part('email') || html.replace(/<[^<>]*>/g, ' ')
}

function attributeOf(attributes: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined
}
