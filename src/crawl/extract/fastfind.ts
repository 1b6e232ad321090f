import { type Found, LinkCollector, type LinkOptions } from './link-collector.ts'
import { type Scanner, scannerFor } from './scanner/scanner.ts'

export type { Found, FoundLink } from './link-collector.ts'

export type FindOptions<Known = unknown> = LinkOptions<Known> & {
  /** The page is XHTML served as XML: CDATA sections are text and `<script/>` is self-closing. */
  xml?: boolean
  withTexts?: boolean
  /** What another thread has found in the page, with the same options. */
  findings?: Int32Array | null | undefined
}

/**
 * Step one of the link pipe: one pass over the bytes of an HTML page in any encoding that agrees with ASCII on bytes
 * below 0x80 where markup is concerned (UTF-8, all single-byte ones, GBK, Big5, Shift_JIS, EUC; not UTF-16 and not
 * ISO-2022-JP: those are converted to UTF-8 first). The scanner (`scanner/assembly/scanner.ts`) splits the page into tags,
 * and its findings become text here, unless the memo knows them.
 *
 * The memo recognises links relative to the page's own URL. With a `<base>` all links differ, so such a page is read
 * again without the memo.
 */
export function fastfind<Known = unknown>(body: Uint8Array, options: FindOptions<Known> = {}): Found<Known> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length)
  const collected = options.findings == null ? null : collect(bytes, options.findings, options)
  if (collected !== null) return collected
  const scanner = options.memo?.scannerFor(bytes.length)
  if (scanner !== undefined) {
    const found = find(bytes, options, scanner)
    if (found !== null) return found
  }
  const { memo: _, ...others } = options
  return find(bytes, others, scanner ?? scannerFor(bytes.length))!
}

/** Null if there is a memo and the page turns out to have a base. */
function find<Known>(bytes: Buffer, options: FindOptions<Known>, scanner: Scanner): Found<Known> | null {
  const { memo, xml = false, withTexts = false } = options
  const collector = new LinkCollector<Known>(bytes, options)
  const folder = memo?.folder()
  scanner.begin(bytes, folder === undefined ? { xml, withTexts } : { xml, withTexts, folder })
  for (let count = scanner.scan(); count > 0; count = scanner.scan()) {
    collector.take(scanner.findings, count)
    if (memo !== undefined && collector.found.base !== undefined) return null
  }
  memo?.count(collector.asked, collector.recalled)
  return collector.found
}

function collect<Known>(bytes: Buffer, findings: Int32Array, options: FindOptions<Known>): Found<Known> | null {
  const { memo } = options
  const collector = new LinkCollector<Known>(bytes, options)
  collector.take(findings, findings.length)
  if (memo !== undefined && collector.found.base !== undefined) return null
  memo?.count(collector.asked, collector.recalled)
  return collector.found
}
