import { completedFrom } from '../../archive/history/version-report.ts'
import { withoutAccesses } from '../../core/url/access.ts'
import { digestText } from '../../core/url/fingerprint.ts'
import type { CataloguedDocument, Version } from '../../store/contracts/versions.ts'
import type { Bytes, DocumentItem, VersionItem } from './archive-reader.ts'

export function versionItem(version: Version): VersionItem {
  const { id, n, url, reason, status, type, size, title, etag, lastModified, truncated, address, location } = version
  return {
    id,
    n,
    document: version.documentId,
    url,
    reason,
    firstSeenAt: timeText(version.firstSeenAt),
    lastSeenAt: timeText(version.lastSeenAt),
    status,
    type,
    size,
    title,
    digest: version.digest.length === 0 ? '' : digestText(version.digest),
    etag,
    lastModified,
    truncated,
    completedFrom: completedFrom(version),
    address,
    location,
    body: version.body,
    notice: version.notice,
  }
}

export function documentItem(document: CataloguedDocument, current: Version | null): DocumentItem {
  const { id, url, host, outcome, status, location } = document
  return {
    id,
    url,
    host,
    title: current?.title ?? '',
    firstAt: timeText(document.firstAt),
    checkedAt: timeText(document.checkedAt),
    outcome,
    status,
    location,
    current: current === null ? null : versionItem(current),
  }
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

/** Copies the content: shared buffers can't be transferred to another thread. */
export function ownBytes(content: Uint8Array | string): Bytes {
  return { bytes: new Uint8Array(typeof content === 'string' ? Buffer.from(withoutAccesses(content)) : content) }
}
