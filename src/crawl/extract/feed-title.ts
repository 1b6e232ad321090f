import { decodeXML } from 'entities/decode'
import { decodeText, detectCharset } from '../../core/http/charset.ts'

/** A feed's title comes before its entries; bytes beyond this are not read. */
const headBytes = 16 * 1024
const maxTitle = 500
const maybeFeed = /[/+](?:xml|rss|atom|json|feed)/i

/** The title of a feed (RSS, Atom, RDF or JSON Feed); '' for anything else. */
export function feedTitle(body: Buffer, contentType: string | undefined): string {
  if (!maybeFeed.test(contentType ?? '')) return ''
  const bytes = body.subarray(0, headBytes)
  const start = bytes.toString('latin1', 0, 4096)
  if (/jsonfeed\.org\/version/.test(start)) return jsonTitle(bytes.toString('utf8'))
  if (!/<(?:rss|feed|rdf:RDF|channel)[\s>]/i.test(start)) return ''
  const head = decodeText(bytes, detectCharset({ bytes, contentType }).charset)
  const entries = head.search(/<(?:item|entry)[\s>]/i)
  const found = /<title(?:\s[^<>]*)?>([\s\S]{0,4000}?)<\/title/i.exec(entries < 0 ? head : head.slice(0, entries))
  return found === null ? '' : plain(decoded(found[1]!))
}

function decoded(text: string): string {
  const quoted = /^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/.exec(text)
  return quoted === null ? decodeXML(text) : quoted[1]!
}

function jsonTitle(text: string): string {
  const items = text.indexOf('"items"')
  const found = /"title"\s*:\s*("(?:[^"\\]|\\.){0,4000}")/.exec(items < 0 ? text : text.slice(0, items))
  if (found === null) return ''
  try {
    return plain(String(JSON.parse(found[1]!)))
  } catch {
    // Invalid JSON: no title.
    return ''
  }
}

/** Removes markup, which some feeds have in their title. */
function plain(text: string): string {
  const line = text
    .replace(/<[^<>]{0,200}>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.slice(0, maxTitle).toWellFormed()
}
