import { httpContentTypeEncoding } from '../http/charset.ts'

/** How the text of a media type is read; null where there is none. */
export type TextKind = 'html' | 'xhtml' | 'xml' | 'plain'

export type TextType = {
  readonly kind: TextKind | null
  /** Without parameters, in small letters; '' where nothing was told. */
  readonly media: string
  /** Nothing was told: the bytes say whether it is a page. */
  readonly isUntold: boolean
  /** What the header names, by the Encoding standard. */
  readonly charset: string | undefined
}

const noText = /^(?:text\/(?:css|(?:x-)?(?:java|ecma|live|j)script(?:1\.\d)?)|application\/xml-dtd|image\/.*)$/

/** Types come from servers; the few that there are come again with every document. */
const remembered = new Map<string, TextType>()
const maxRemembered = 200

export function textTypeOf(contentType: string | undefined): TextType {
  const header = contentType ?? ''
  const known = remembered.get(header)
  if (known !== undefined) return known
  const end = header.indexOf(';')
  const media = (end === -1 ? header : header.slice(0, end)).trim().toLowerCase()
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
  if (/^(?:text|application)\/xml$|\+xml$/.test(media)) return 'xml'
  if (/^text\/|^application\/(?:(?:x-)?nd)?json(?:l|lines)?$|\+json$/.test(media)) return 'plain'
  return null
}
