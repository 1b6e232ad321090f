import { decodeText, detectCharset } from '../../core/http/charset.ts'
import { textTypeOf } from '../../core/text/text-type.ts'
import type { ContentForm } from './archive-reader.ts'

/** Raster images, which can't contain script. */
const rasters = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
])

const otherTexts = /^(?:text\/|image\/svg\+xml$|application\/(?:(?:x-)?javascript|ecmascript|xml-dtd)$)/
const SNIFFED_BYTES = 512

/**
 * How a browser may show a body. The type comes from an untrusted server, so only these few are accepted; other types that can contain
 * script, such as SVG, are shown as source.
 */
export function contentFormOf(contentType: string | undefined, body: Uint8Array): ContentForm {
  const { kind, isUntold } = textTypeOf(contentType)
  if (kind === 'html' || kind === 'xhtml') return { kind: 'html' }
  const media = /^[^;,]*/
    .exec(contentType ?? '')![0]
    .trim()
    .toLowerCase()
  if (rasters.has(media)) return { kind: 'image', type: media }
  if (media === 'application/pdf') return { kind: 'pdf' }
  if (isUntold) return untold(body)
  return kind !== null || otherTexts.test(media) ? { kind: 'text' } : { kind: 'other' }
}

function untold(body: Uint8Array): ContentForm {
  const start = body.subarray(0, SNIFFED_BYTES)
  if (start.includes(0)) return { kind: 'other' }
  return start.includes(0x3c) ? { kind: 'html' } : { kind: 'text' }
}

/** The body as UTF-8; the content-type header has precedence over the page's own declaration. */
export function inUtf8(body: Uint8Array, contentType: string | undefined): string {
  return decodeText(body, detectCharset({ bytes: body, contentType }).charset)
}
