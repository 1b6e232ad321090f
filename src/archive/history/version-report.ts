import { bomEncoding, decodeText, detectCharset } from '../../core/http/charset.ts'
import type { VersionReport } from '../../core/reports/history-report.ts'
import { digestText } from '../../core/url/fingerprint.ts'
import type { Version } from '../../store/contracts/versions.ts'

export function versionReport(version: Version, links: number): VersionReport {
  const { n, reason, status, type, size, title, etag, lastModified, truncated, address, location, body, notice } =
    version
  return {
    n,
    reason,
    firstSeenAt: new Date(version.firstSeenAt).toISOString(),
    lastSeenAt: new Date(version.lastSeenAt).toISOString(),
    status,
    type,
    size,
    title,
    digest: version.digest.length === 0 ? '' : digestText(version.digest),
    textDigest: version.textDigest?.toString('hex') ?? null,
    etag,
    lastModified,
    truncated,
    completedFrom: completedFrom(version),
    address,
    location,
    body,
    links,
    notice,
  }
}

/** The parts of a version that came from a table; null for a page that came whole. */
export function completedFrom({ completed }: Pick<Version, 'completed'>): VersionReport['completedFrom'] {
  return completed === '' ? null : { table: 'tvi', parts: completed.split(' ') }
}

/** The bytes as text; null if they aren't readable. */
export function sourceText(body: Buffer, contentType: string | undefined): string | null {
  if (!isSourceText(body, contentType)) return null
  return decodeText(body, detectCharset({ bytes: body, contentType }).charset)
}

const textTypes = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:xml|json)\b|application\/(?:javascript|ecmascript|xhtml))/i
const sniffedBytes = 64 * 1024

/** Whether the bytes are readable as they are: a text type, or no sign of anything else. */
function isSourceText(body: Buffer, contentType: string | undefined): boolean {
  const start = body.subarray(0, sniffedBytes)
  const isWide = bomEncoding(start)?.startsWith('utf-16') === true
  if (!isWide && start.includes(0)) return /charset\s*=\s*"?utf-(?:16|32)/i.test(contentType ?? '')
  return textTypes.test(contentType ?? '') || isWide || isUtf8(start)
}

function isUtf8(start: Buffer): boolean {
  // The cut may have split a character: up to three bytes of the longest may be missing.
  const text = start.toString('utf8')
  const wrong = text.indexOf('\ufffd')
  return wrong < 0 || (start.length === sniffedBytes && wrong >= text.length - 3)
}
