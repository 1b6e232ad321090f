import { Parser } from 'htmlparser2'
import { parseFeedDate } from '../../core/feed/feed-date.ts'
import { addEntry, emptySitemap, maxEntries, maxUrlCharacters, type Sitemap, type SitemapEntry } from './sitemap.ts'

/** The parser does work for each open element at each tag, so depth costs time. */
const maxDepth = 64
const pieceLength = 64 << 10
/** Entries beyond the limit of the protocol are only counted, up to this number. */
const maxCounted = 4 * maxEntries

type Field = 'loc' | 'lastmod' | 'priority'
type OpenEntry = {
  readonly depth: number
  readonly isSitemap: boolean
  texts: Map<Field, string>
  /** URLs before the last one, to which all the same applies. */
  earlier: string[]
  /** Text outside the fields: some sitemaps leave out the `loc` around the URL. */
  bare: string
  alternates: string[]
}

const openEntry = (depth: number, isSitemap: boolean): OpenEntry => ({
  ...{ depth, isSitemap, texts: new Map(), earlier: [], bare: '', alternates: [] },
})

/**
 * Reads a `urlset` or `sitemapindex`; null if the document is neither. Elements of the protocol have the prefix of the root, so those
 * of extensions (`image:loc`) are not mistaken for them. Malformed XML is read as far as possible: an entry that is cut off at the end
 * of the document doesn't count. Between pieces, `rest` may yield to other work.
 */
export async function readXmlSitemap(text: string, rest: () => Promise<void>): Promise<Sitemap | null> {
  const reader = new XmlSitemapReader(declaredEntities(text))
  for (let at = 0; at < text.length && !reader.isOver; at += pieceLength) {
    if (at > 0) await rest()
    reader.write(text.slice(at, at + pieceLength))
  }
  return reader.finish()
}

/** Declarations are in front of the root, so this is where they are looked for. */
const declarationsLength = 8192

function declaredEntities(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.slice(0, declarationsLength).matchAll(/<!ENTITY\s+([\w.-]+)\s/g), ([, name]) => name!))
}

class XmlSitemapReader {
  isOver = false
  private sitemap: Sitemap | null = null
  /** The same pages in other languages, by URL. Every language repeats them all, so they must not use up the room of the pages. */
  private readonly alternates = new Map<string, SitemapEntry>()
  /** Names of entities that the document declares. They are never expanded. */
  private readonly entities: ReadonlySet<string>
  private depth = 0
  private prefix = ''
  private entry: OpenEntry | null = null
  private field: { readonly name: Field; readonly depth: number; text: string } | null = null
  private readonly parser = new Parser(
    {
      onopentag: (name, attributes) => this.start(name.toLowerCase(), attributes),
      onclosetag: () => this.end(),
      ontext: (text) => this.take(text),
    },
    { xmlMode: true, decodeEntities: true },
  )

  constructor(entities: ReadonlySet<string>) {
    this.entities = entities
  }

  /** The parser is never ended: that would close elements that the document left open. */
  write(piece: string): void {
    this.parser.write(piece)
  }

  finish(): Sitemap | null {
    const { sitemap, alternates } = this
    if (sitemap === null || alternates.size === 0) return sitemap
    for (const { url } of sitemap.pages) alternates.delete(url)
    for (const entry of alternates.values()) addEntry(sitemap, sitemap.pages, entry)
    return sitemap
  }

  private start(name: string, attributes: Record<string, string>): void {
    this.depth++
    if (this.depth > maxDepth) this.isOver = true
    if (this.isOver) return
    if (this.depth === 1) this.begin(name)
    const { sitemap } = this
    if (sitemap === null) return
    const local = name.slice(name.indexOf(':') + 1)
    const isOurs = name === this.prefix + local
    // `<loc><url>…</url></loc>`: the inner element is part of the field.
    if (isOurs && local === 'url' && this.field?.name === 'loc' && this.field.text === '') return
    // The end tag of the field is missing: the next element ends it.
    if (this.field !== null && isOurs) this.endField()
    if (isOurs && (local === 'url' || local === 'sitemap')) {
      this.endEntry()
      this.entry = openEntry(this.depth, local === 'sitemap')
    } else if (this.entry === null) return
    else if (isOurs && isField(local)) this.startField(this.entry, local)
    else if (local === 'link' && isAlternate(attributes)) this.entry.alternates.push(attributes.href!.trim())
  }

  private begin(name: string): void {
    const local = name.slice(name.indexOf(':') + 1)
    if (local !== 'urlset' && local !== 'sitemapindex') {
      this.isOver = true
      return
    }
    this.prefix = name.slice(0, name.length - local.length)
    this.sitemap = emptySitemap('xml')
  }

  private startField(entry: OpenEntry, name: Field): void {
    const url = name === 'loc' ? entry.texts.get('loc') : undefined
    if (url !== undefined) {
      // That of a picture or the like, in an element of its own.
      if (this.depth !== entry.depth + 1) return
      if (entry.texts.size > 1) {
        // Behind other fields a URL begins the next entry, as if the tags between them were missing.
        this.endEntry()
        this.entry = openEntry(entry.depth, entry.isSitemap)
      } else if (entry.earlier.length < maxEntries) {
        entry.earlier.push(url)
        entry.texts.delete('loc')
      }
    }
    this.field = { name, depth: this.depth, text: '' }
  }

  private take(text: string): void {
    const { field, entry } = this
    if (field !== null) field.text = appended(field.text, text)
    else if (entry?.depth === this.depth) entry.bare = appended(entry.bare, text)
  }

  private end(): void {
    if (this.field?.depth === this.depth) this.endField()
    if (this.entry?.depth === this.depth) this.endEntry()
    this.depth--
  }

  private endField(): void {
    const { field, entry } = this
    this.field = null
    if (field === null || entry === null || entry.texts.has(field.name)) return
    const text = oneLine(field.text)
    if (text !== '' && !this.hasDeclaredEntity(text)) entry.texts.set(field.name, text)
  }

  private hasDeclaredEntity(text: string): boolean {
    if (this.entities.size === 0) return false
    return Array.from(text.matchAll(/&([\w.-]+);/g)).some(([, name]) => this.entities.has(name!))
  }

  private endEntry(): void {
    const { sitemap, entry } = this
    this.field = null
    this.entry = null
    if (sitemap === null || entry === null) return
    const { texts, isSitemap } = entry
    const facts = { modifiedAt: modifiedAtOf(texts.get('lastmod')), priority: priorityOf(texts.get('priority')) }
    const list = isSitemap ? sitemap.sitemaps : sitemap.pages
    for (const url of entry.earlier) addEntry(sitemap, list, { url, ...facts })
    const last = texts.get('loc') ?? bareUrl(entry.bare)
    if (last !== '' || entry.earlier.length === 0) addEntry(sitemap, list, { url: last, ...facts })
    for (const url of entry.alternates)
      if (this.alternates.size < maxEntries && !this.alternates.has(url)) this.alternates.set(url, { url, ...facts })
    if (sitemap.dropped >= maxCounted) this.isOver = true
  }
}

const isField = (name: string): name is Field => name === 'loc' || name === 'lastmod' || name === 'priority'

/** Without white space at the beginning, and one character more than allowed at most. */
function appended(text: string, more: string): string {
  const added = text === '' ? more.trimStart() : more
  return text + added.slice(0, maxUrlCharacters + 1 - text.length)
}

const oneLine = (text: string): string => text.replace(/[\t\r\n]+/g, '').trim()

function bareUrl(text: string): string {
  const line = oneLine(text)
  return /^https?:\/\/\S+$/i.test(line) ? line : ''
}

/** A W3C date with fractions of a second, which dates of feeds don't keep. */
const exactDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)$/

function modifiedAtOf(text = ''): number | null {
  const at = exactDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? parseFeedDate(text) : at
}

/** `xhtml:link`: the same page in another language. */
function isAlternate({ rel, href }: Record<string, string>): boolean {
  return href !== undefined && href !== '' && rel !== undefined && /(?:^|\s)alternate(?:\s|$)/i.test(rel)
}

function priorityOf(text: string | undefined): number | null {
  const priority = text === undefined || !/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number.NaN : Number(text)
  return priority >= 0 && priority <= 1 ? priority : null
}
