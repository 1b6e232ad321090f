import {
  type Charset,
  createPartDecoder,
  decodeText,
  detectCharset,
  isAsciiCompatible,
  resolveEncoding,
} from '../../core/http/charset.ts'
import type { FindOptions } from './fastfind.ts'
import { type Found, fastfind } from './fastfind.ts'
import { createQueryEncoder } from './query-encoder.ts'
import type { LinkMemo } from './scanner/link-memo.ts'

/** What was found in a page. `base` and the links are as written in the page; later steps resolve them. */
export type ExtractedPage<Known = unknown> = Found<Known> & { charset: Charset }

export type PageSource<Known = unknown> = {
  /** Recognises links of the page without converting them to text. */
  memo?: LinkMemo<Known> | undefined
  contentType?: string | null | undefined
  /** If known from elsewhere; skips detection. */
  charset?: string | null | undefined
  url: string
  maxLinks?: number | undefined
  /** Whether to extract the texts of links. */
  withTexts?: boolean | undefined
  /** What another thread has found in these bytes. */
  findings?: Int32Array | null | undefined
}

/** Detects the encoding of an HTML or XHTML page and finds its links, in one pass over its bytes. */
export function extractPage<Known = unknown>(body: Uint8Array, source: PageSource<Known>): ExtractedPage<Known> {
  const given = source.charset ? resolveEncoding(source.charset) : undefined
  const charset: Charset =
    given === undefined
      ? detectCharset({ bytes: body, contentType: source.contentType })
      : { charset: given, source: 'header' }
  const xml = isXhtml(source.contentType)
  const options: FindOptions<Known> = { memo: source.memo, xml, withTexts: source.withTexts === true }
  if (source.maxLinks !== undefined) options.maxLinks = source.maxLinks
  if (charset.charset !== 'utf-8') Object.assign(options, findOptions(charset.charset))
  if (!isAsciiCompatible(charset.charset)) {
    const page = Buffer.from(decodeText(body, charset.charset))
    return Object.assign(fastfind(page, options), { charset })
  }
  options.findings = source.findings
  return Object.assign(fastfind(body, options), { charset })
}

/** Whether a page is read as XML. */
export function isXhtml(contentType: string | null | undefined): boolean {
  return contentType != null && /^[\t ]*application\/xhtml\+xml/i.test(contentType)
}

function findOptions(charset: string): Pick<FindOptions, 'decode' | 'encodeQuery'> {
  if (!isAsciiCompatible(charset)) return {}
  return { decode: createPartDecoder(charset), encodeQuery: createQueryEncoder(charset) }
}
