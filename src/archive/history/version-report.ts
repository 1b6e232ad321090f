import { digestText } from '../../core/fingerprint.ts'
import type { VersionReport } from '../../core/reports/history-report.ts'
import type { Version } from '../../store/contracts/versions.ts'

export function versionReport(version: Version, links: number): VersionReport {
  const { n, reason, status, type, size, title, etag, lastModified, truncated, address, location, body } = version
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
    address,
    location,
    body,
    links,
  }
}
