import { Parser } from 'htmlparser2'
import { escaped, type Feed, type FeedEntry, maxEntries } from './feed-entries.ts'

/** Elements of these are called by their plain name. */
const feedNamespace =
  /^https?:\/\/(?:www\.w3\.org\/2005\/Atom|purl\.org\/atom\/ns#.*|purl\.org\/rss\/1\.0\/?|my\.netscape\.com\/(?:rdf\/simple\/0\.9|publish\/formats\/rss-0\.91\.dtd)\/?|channel\.netscape\.com\/rdf\/simple\/0\.9\/?|backend\.userland\.com\/rss.*|blogs\.law\.harvard\.edu\/tech\/rss|cyber\.law\.harvard\.edu\/rss.*)$/i

/** The parser takes a step for each open element at each tag: depth is time. */
const maxDepth = 512
const pieceLength = 16_384

type Field = 'title' | 'otherTitle' | 'link' | 'originalLink' | 'id' | 'content' | 'summary' | 'media'
/** Texts of an element that is being read. */
type Capture = { readonly depth: number; readonly field: Field; readonly mode: Mode; html: string }
/** Text is HTML, or text that stands for itself, or HTML in base64. */
type Mode = 'html' | 'literal' | 'base64'

const channelFields = new Map<string, Field>([
  ['title', 'title'],
  ['link', 'link'],
])
const entryFields = new Map<string, Field>([
  ['title', 'title'],
  ['link', 'link'],
  ['feedburner:origlink', 'originalLink'],
  ['guid', 'id'],
  ['id', 'id'],
  ['content:encoded', 'content'],
  ['content', 'content'],
  ['xhtml:body', 'content'],
  ['body', 'content'],
  ['description', 'summary'],
  ['summary', 'summary'],
  ['tagline', 'summary'],
  ['dc:title', 'otherTitle'],
  ['media:title', 'otherTitle'],
  ['itunes:title', 'otherTitle'],
  ['dc:description', 'media'],
  ['itunes:summary', 'media'],
  ['media:description', 'media'],
])

/** By the relation of a link in Atom; others have 2. */
const ranks = new Map([
  ['alternate', 3],
  ['enclosure', 1],
  ['replies', 0],
  ['self', 0],
])
const linkRank = 4
/** The link itself leads over a counter. */
const originalRank = 5

/** RSS 0.9x, 1.0 and 2.0, and Atom, as much as can be made out; null where there is no feed. */
export function readXmlFeed(source: string): Feed | null {
  const reader = new FeedReader()
  reader.read(source)
  return reader.feed
}

class FeedReader {
  feed: Feed | null = null
  private readonly open: string[] = []
  private readonly prefixes = new Map<string, string>()
  private entry: { readonly depth: number; readonly found: Map<Field, string>; link: string; rank: number } | null =
    null
  private capture: Capture | null = null
  private isTooDeep = false

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
  }

  private start(rawName: string, attributes: Record<string, string>): void {
    if (this.open.length >= maxDepth) {
      if (this.feed !== null) this.feed.isCut = true
      this.isTooDeep = true
    }
    if (this.isTooDeep) return
    if (this.open.length === 0) this.begin(rawName, attributes)
    const name = this.nameOf(rawName)
    this.open.push(name)
    if (this.feed === null) return
    if (this.capture !== null) {
      if (/^[a-z][a-z0-9]*$/i.test(name)) this.capture.html += `<${name}>`
    } else if (this.entry !== null) this.startInEntry(name, attributes)
    else if (name === 'item' || name === 'entry') this.startEntry(attributes)
    else this.startInChannel(name, attributes)
  }

  private begin(rawName: string, attributes: Record<string, string>): void {
    for (const [name, value] of Object.entries(attributes)) {
      const found = /^xmlns(?::(.+))?$/i.exec(name)
      if (found !== null) this.prefixes.set(found[1] ?? '', value.trim())
    }
    const local = rawName.replace(/^.*:/, '').toLowerCase()
    if (local === 'rss' || local === 'feed' || local === 'rdf')
      this.feed = { title: '', site: '', entries: [], isCut: false }
  }

  /** Names of feeds are plain, of other vocabularies with their prefix. In RSS, Atom is another vocabulary. */
  private nameOf(rawName: string): string {
    const name = rawName.toLowerCase()
    const colon = name.indexOf(':')
    if (colon === -1) return name
    const namespace = this.prefixes.get(rawName.slice(0, colon)) ?? ''
    const isForeignAtom = /atom/i.test(namespace) && this.open.length > 0 && !/feed$/.test(this.open[0]!)
    return feedNamespace.test(namespace) && !isForeignAtom ? name.slice(colon + 1) : name
  }

  private startEntry(attributes: Record<string, string>): void {
    const about = attributes['rdf:about'] ?? ''
    this.entry = { depth: this.open.length, found: new Map(about === '' ? [] : [['id', about]]), link: '', rank: 0 }
  }

  private startInChannel(name: string, attributes: Record<string, string>): void {
    const parent = this.open.at(-2)
    if (parent !== 'channel' && parent !== 'feed') return
    if (name === 'link' && attributes.href !== undefined) {
      if ((attributes.rel ?? 'alternate') === 'alternate') this.feed!.site ||= attributes.href
      return
    }
    const field = channelFields.get(name)
    if (field !== undefined) this.startCapture(field, attributes)
  }

  private startInEntry(name: string, attributes: Record<string, string>): void {
    const { entry } = this
    const isChild = this.open.length === entry!.depth + 1
    if (isChild && (name === 'link' || name === 'atom:link') && attributes.href !== undefined) {
      this.atomLink(attributes.href, attributes.rel ?? 'alternate')
      return
    }
    if (isChild && name === 'enclosure' && attributes.url !== undefined) this.atomLink(attributes.url, 'enclosure')
    const field = entryFields.get(name)
    if (field === undefined || (!isChild && field !== 'media')) return
    this.startCapture(field, attributes, name)
  }

  private atomLink(href: string, rel: string): void {
    this.link(href, ranks.get(rel) ?? 2)
  }

  /** Of several links that of the highest rank counts. */
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
    const mode = attributes.mode === 'base64' ? 'base64' : isLiteral ? 'literal' : 'html'
    this.capture = {
      depth: this.open.length,
      field,
      mode: field === 'link' || field === 'originalLink' || field === 'id' ? 'html' : mode,
      html: '',
    }
  }

  private text(text: string): void {
    if (this.capture !== null) this.capture.html += this.capture.mode === 'literal' ? escaped(text) : text
  }

  private end(): void {
    if (this.isTooDeep) return
    const depth = this.open.length
    const name = this.open.pop()
    if (this.capture !== null) {
      if (depth === this.capture.depth) this.endCapture(this.capture)
      else if (name !== undefined && /^[a-z][a-z0-9]*$/i.test(name)) this.capture.html += `</${name}>`
    } else if (this.entry?.depth === depth) this.endEntry()
  }

  private endCapture({ field, mode, html: source }: Capture): void {
    this.capture = null
    const html = mode === 'base64' ? Buffer.from(source, 'base64').toString('utf8') : source
    if (html.trim() === '') return
    if (this.entry === null) this.feed![field === 'title' ? 'title' : 'site'] ||= html
    else if (field === 'link') this.link(html, linkRank)
    else if (field === 'originalLink') this.link(html, originalRank)
    else if (field === 'id' || !this.entry.found.has(field)) this.entry.found.set(field, html)
  }

  private endEntry(): void {
    const { found, link } = this.entry!
    this.entry = null
    const { entries } = this.feed!
    if (entries.length >= maxEntries) {
      this.feed!.isCut = true
      return
    }
    const id = found.get('id') ?? ''
    const entry: FeedEntry = {
      id,
      title: found.get('title') ?? found.get('otherTitle') ?? '',
      // A guid that is an address leads to the entry unless the feed says otherwise.
      link: link || (/^https?:\/\//.test(id.trim()) ? id : ''),
      html: found.get('content') ?? found.get('summary') ?? found.get('media') ?? '',
    }
    entries.push(entry)
  }
}
