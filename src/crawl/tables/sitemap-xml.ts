import { Parser } from 'htmlparser2'
import { parseFeedDate } from '../../core/feed/feed-date.ts'
import { addEntry, emptySitemap, maxEntries, maxUrlCharacters, type Sitemap } from './sitemap.ts'

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
  alternates: string[]
}

/**
 * Reads a `urlset` or `sitemapindex`; null if the document is neither. Elements of the protocol have the prefix of the root, so those
 * of extensions (`image:loc`) are not mistaken for them. Malformed XML is read as far as possible: an entry that is cut off at the end
 * of the document doesn't count. Between pieces, `rest` may yield to other work.
 */
export async function readXmlSitemap(text: string, rest: () => Promise<void>): Promise<Sitemap | null> {
  const reader = new XmlSitemapReader()
  for (let at = 0; at < text.length && !reader.isOver; at += pieceLength) {
    if (at > 0) await rest()
    reader.write(text.slice(at, at + pieceLength))
  }
  return reader.sitemap
}

class XmlSitemapReader {
  sitemap: Sitemap | null = null
  isOver = false
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

  /** The parser is never ended: that would close elements that the document left open. */
  write(piece: string): void {
    this.parser.write(piece)
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
    // The end tag of the field is missing: the next element ends it.
    if (this.field !== null && isOurs) this.endField()
    if (isOurs && (local === 'url' || local === 'sitemap')) {
      this.endEntry()
      this.entry = { depth: this.depth, isSitemap: local === 'sitemap', texts: new Map(), alternates: [] }
    } else if (this.entry === null) return
    else if (isOurs && isField(local)) this.field = { name: local, depth: this.depth, text: '' }
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

  private take(text: string): void {
    const { field } = this
    if (field !== null && field.text.length < maxUrlCharacters) field.text += text
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
    entry.texts.set(field.name, field.text.replace(/[\t\r\n]+/g, '').trim())
  }

  private endEntry(): void {
    const { sitemap, entry } = this
    this.field = null
    this.entry = null
    if (sitemap === null || entry === null) return
    const { texts, alternates, isSitemap } = entry
    const facts = { modifiedAt: parseFeedDate(texts.get('lastmod') ?? ''), priority: priorityOf(texts.get('priority')) }
    const list = isSitemap ? sitemap.sitemaps : sitemap.pages
    addEntry(sitemap, list, { url: texts.get('loc') ?? '', ...facts })
    for (const url of alternates) addEntry(sitemap, list, { url, ...facts })
    if (sitemap.dropped >= maxCounted) this.isOver = true
  }
}

const isField = (name: string): name is Field => name === 'loc' || name === 'lastmod' || name === 'priority'

/** `xhtml:link`: the same page in another language. */
function isAlternate({ rel, href }: Record<string, string>): boolean {
  return href !== undefined && href !== '' && rel !== undefined && /(?:^|\s)alternate(?:\s|$)/i.test(rel)
}

function priorityOf(text: string | undefined): number | null {
  const priority = text === undefined || !/^\d*\.?\d+$/.test(text) ? Number.NaN : Number(text)
  return priority >= 0 && priority <= 1 ? priority : null
}
