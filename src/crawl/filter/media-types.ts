import { essenceOf } from '../../core/http/media-type.ts'
import { readList, refuseFaults } from './list-file.ts'

/** Media types whose bodies are read: those with text. */
export const defaultMediaTypes: readonly string[] = [
  'text/html',
  'application/xhtml+xml',
  'text/plain',
  'application/xml',
  'text/xml',
  'application/rss+xml',
  'application/atom+xml',
  'application/json',
  'application/feed+json',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.oasis.opendocument.text',
  'application/epub+zip',
  'text/markdown',
  'text/x-markdown',
  'text/csv',
  'text/tab-separated-values',
  'message/rfc822',
]

export type MediaTypes = {
  acceptsMediaType(contentTypeHeader: string | undefined): boolean
  /** File suffixes that the list names with its types, in lower case: URLs with them are worth a request. */
  readonly suffixes: ReadonlySet<string>
}

const token = "[!#$%&'+.^_`|~0-9a-z-]+"
const mediaRange = new RegExp(`^(?:\\*/\\*|${token}/\\*|${token}/${token})$`)

/**
 * Parses the `mime.types` file: one media type per line, `text/*` for a whole family, followed by any number of suffixes,
 * as in Apache's file of this name. All types in it are collected, with suffixes or without.
 */
export function parseMimeTypes(text: string): MediaTypes {
  const types: string[] = []
  const suffixes: string[] = []
  const faults: { line: number; fault: string }[] = []
  for (const { text: entry, line } of readList(text)) {
    const [type = '', ...names] = entry.toLowerCase().split(/\s+/)
    const wrong = names.find((name) => !/^\.?[^\s/?#.][^\s/?#]{0,49}$/.test(name))
    if (!mediaRange.test(type)) faults.push({ line, fault: `no media type: ${JSON.stringify(entry.slice(0, 80))}` })
    else if (wrong !== undefined) faults.push({ line, fault: `no file suffix: ${JSON.stringify(wrong.slice(0, 80))}` })
    else {
      types.push(type)
      for (const name of names) suffixes.push(name.replace(/^\./, ''))
    }
  }
  refuseFaults('wrong entries in the list of media types', faults)
  return createMediaTypes(types, suffixes)
}

export function createMediaTypes(types: Iterable<string>, suffixes: Iterable<string> = []): MediaTypes {
  const known = new Set<string>()
  for (const type of types) known.add(type.toLowerCase())
  const accepts = (type: string): boolean =>
    known.has(type) || known.has(`${type.slice(0, type.indexOf('/'))}/*`) || known.has('*/*')
  // A response with a missing or invalid type is mostly HTML: it is accepted if HTML is.
  const acceptsUnknown = accepts('text/html')
  // Cached, since pages have the same few headers.
  const judged = new Map<string, boolean>()

  function judge(header: string): boolean {
    const type = essenceOf(header)
    const isAccepted = type === '' ? acceptsUnknown : accepts(type)
    if (header.length > maxKeptLength) return isAccepted
    if (judged.size >= maxKept) judged.clear()
    judged.set(header, isAccepted)
    return isAccepted
  }

  return {
    suffixes: new Set(suffixes),
    acceptsMediaType: (header) => (header === undefined ? acceptsUnknown : (judged.get(header) ?? judge(header))),
  }
}

const maxKept = 256
const maxKeptLength = 128
