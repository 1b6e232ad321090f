import { httpContentTypeEncoding } from '../http/charset.ts'
import { essenceOf } from '../http/media-type.ts'

/** How the text of a media type is read; null if it has none. */
export type TextKind = 'html' | 'xhtml' | 'xml' | 'plain'

export type TextType = {
  readonly kind: TextKind | null
  /** In lower case, without parameters; '' if none is named. */
  readonly media: string
  /** No media type was named: the bytes decide whether it is a page. */
  readonly isUntold: boolean
  /** The encoding named by the header, as in the Encoding standard. */
  readonly charset: string | undefined
}

const noText = /^(?:text\/(?:css|(?:x-)?(?:java|ecma|live|j)script(?:1\.\d)?)|application\/xml-dtd|image\/.*)$/

/** Cache by header: the same few values come with every document. */
const remembered = new Map<string, TextType>()
const maxRemembered = 200

export function textTypeOf(contentType: string | undefined): TextType {
  const header = contentType ?? ''
  const known = remembered.get(header)
  if (known !== undefined) return known
  const media = essenceOf(header)
  const type = { kind: kindOf(media), media, isUntold: media === '', charset: httpContentTypeEncoding(header) }
  if (remembered.size >= maxRemembered) remembered.clear()
  if (header.length <= 200) remembered.set(header, type)
  return type
}

function kindOf(media: string): TextKind | null {
  if (media === '') return 'plain'
  if (media === 'text/html') return 'html'
  if (noText.test(media)) return null
  if (/^application\/(?:vnd\.wap\.)?xhtml\+xml$/.test(media)) return 'xhtml'
  if (/^(?:text|application)\/(?:x-)?xml$|^application\/(?:x-)?(?:rss|atom|rdf)$|\+xml$/.test(media)) return 'xml'
  if (/^text\/|^application\/(?:(?:x-)?nd)?json(?:l|lines)?$|\+json$/.test(media)) return 'plain'
  return null
}
