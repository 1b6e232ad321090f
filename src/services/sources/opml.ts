import { setImmediate as turn } from 'node:timers/promises'
import { Parser } from 'htmlparser2'
import { AppError } from '../../core/errors.ts'
import { attributeList } from '../../xml/xml-writing.ts'
import { type ReadUrls, shown } from './url-list.ts'

/** Deeper folders are not part of the name. */
const MAX_FOLDERS = 4
const MAX_DEPTH = 100
const CHUNK_CHARS = 64 * 1024

/**
 * The addresses in an OPML file, as feed readers and browsers write it: `xmlUrl`, `htmlUrl` or `url` of each `outline`, with
 * the enclosing folders in the name. Such files are often not well-formed, so as much as possible is read. Only the five
 * entities of XML and numeric character references are expanded.
 */
export async function readOpml(text: string): Promise<ReadUrls> {
  const read: ReadUrls = { urls: [], skipped: [] }
  const folders: string[] = []
  const lineOf = createLines(text)
  let outlines = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name !== 'outline') return
        outlines++
        const { xmlurl, htmlurl, url, title, text: label } = inSmallLetters(attributes)
        const own = (title ?? label ?? '').trim()
        const found = [xmlurl, url, htmlurl].find((each) => each !== undefined && each.trim() !== '')?.trim()
        const line = lineOf(parser.startIndex)
        if (found !== undefined)
          read.urls.push({
            line,
            url: found,
            name: [...folders.slice(0, MAX_FOLDERS), own].filter(Boolean).join(' / ') || null,
          })
        else if (attributes.type !== undefined) read.skipped.push({ line, text: shown(own), why: 'No address' })
        if (folders.length >= MAX_DEPTH)
          throw new AppError('file-invalid', `outlines are nested more than ${MAX_DEPTH} levels deep`)
        folders.push(found === undefined ? own : '')
      },
      onclosetag(name) {
        if (name === 'outline') folders.pop()
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < text.length; at += CHUNK_CHARS) {
    parser.write(text.slice(at, at + CHUNK_CHARS))
    await turn()
  }
  parser.end()
  if (outlines === 0) throw new AppError('file-invalid', 'this is not OPML: it has no outlines')
  return read
}

export function looksLikeOpml(text: string): boolean {
  return /^[\ufeff\s]*<(?:\?xml|!--|!doctype|opml|outline)/i.test(text) && /<(?:opml|outline)[\s>]/i.test(text)
}

function inSmallLetters(attributes: Record<string, string>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Maps offsets to line numbers. Offsets must not decrease between calls. */
function createLines(text: string): (at: number) => number {
  let line = 1
  let end = text.indexOf('\n')
  return (at) => {
    for (; end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line++
    return line
  }
}

/** Feed readers take only the feeds of a file. */
export type OutlineItem = { url: string; name: string; isFeed: boolean }

export async function* writeOpml(items: Iterable<OutlineItem>): AsyncGenerator<string, void, undefined> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n  <head><title>Sources</title></head>\n  <body>\n'
  for (const { url, name, isFeed } of items) {
    const label = writable(name)
    const address = isFeed ? { type: 'rss', xmlUrl: writable(url) } : { type: 'link', url: writable(url) }
    yield `    <outline${attributeList({ text: label, title: label, ...address })}/>\n`
  }
  yield '  </body>\n</opml>\n'
}

/** Removes characters that XML doesn't allow. */
function writable(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
}
