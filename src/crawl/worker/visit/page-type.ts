import { looksLikeFeed } from '../../../core/feed/read-feed.ts'
import { httpContentTypeEncoding } from '../../../core/http/charset.ts'

/** A feed served as a page, or without a type, as the MIME Sniffing standard tells them apart. Pages rarely begin like one. */
export function isFeedAsPage(type: string, body: Buffer): boolean {
  return (type === 'text/html' || type === '') && feedStart.test(body.toString('latin1', 0, 64)) && looksLikeFeed(body)
}

const feedStart = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|rss|feed|rdf:)/i

/** A page served under the general type of XML: browsers go by its root. */
export function isXhtmlAsXml(type: string, body: Buffer): boolean {
  return (type === 'application/xml' || type === 'text/xml') && xhtmlRoot.test(body.toString('latin1', 0, 1024))
}

const xhtmlRoot = /<html\s[^>]*xmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/

/** The type with the encoding that the server named. */
export function typeAs(type: string, contentType = ''): string {
  const charset = httpContentTypeEncoding(contentType)
  return charset === undefined ? type : `${type}; charset=${charset}`
}

export function isHtmlType(type: string, body: Buffer): boolean {
  if (type === 'text/html' || type === 'application/xhtml+xml') return true
  return type === '' && body.subarray(0, 512).includes('<')
}
