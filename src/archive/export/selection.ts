import type { ExportSelection } from '../../core/reports/export-report.ts'
import { accessOf, withoutAccess } from '../../core/url/access.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'

const pageLength = 500

/** Content fetched with a user's credentials is private to that user, and never exported. */
const isFor = (url: string, prefix: string): boolean =>
  accessOf(url).credentials === '' && withoutAccess(url).startsWith(prefix)

/** All documents under the prefix, in the order of their ids. May include documents added in the meantime. */
export async function* selectDocuments(
  versions: Pick<VersionStore, 'documents'>,
  { urlPrefix }: ExportSelection,
): AsyncGenerator<CataloguedDocument, void, undefined> {
  for (let after = 0; ; ) {
    const page = await versions.documents({ after, limit: pageLength })
    for (const document of page) if (isFor(document.url, urlPrefix)) yield document
    if (page.length < pageLength) return
    after = page.at(-1)!.id
  }
}

/** The selected versions, in the order of their ids; in the order of their documents' ids if only current versions are selected. */
export async function* selectVersions(
  versions: Pick<VersionStore, 'documents' | 'versions' | 'version'>,
  selection: ExportSelection,
): AsyncGenerator<Version, void, undefined> {
  if (selection.currentOnly) {
    for await (const { versionId } of selectDocuments(versions, selection)) {
      const version = versionId === 0 ? null : await versions.version(versionId)
      if (version !== null && isWithin(version, selection)) yield version
    }
    return
  }
  for (let after = 0; ; ) {
    const page = await versions.versions({ after, limit: pageLength, mayMiss: true })
    for (const version of page)
      if (isFor(version.url, selection.urlPrefix) && isWithin(version, selection)) yield version
    if (page.length < pageLength) return
    after = page.at(-1)!.id
  }
}

/** The selected versions of one document, oldest first. `current` is its current version. */
export async function* selectHistory(
  versions: Pick<VersionStore, 'history'>,
  document: CataloguedDocument,
  current: Version | null,
  selection: ExportSelection,
): AsyncGenerator<Version, void, undefined> {
  // Most documents have never changed.
  if (current?.n === 1) {
    if (isWithin(current, selection)) yield current
    return
  }
  for (let after = 0; ; ) {
    const page = await versions.history(document.id, { after, limit: pageLength })
    for (const version of page) {
      if (selection.currentOnly && version.id !== current?.id) continue
      if (isWithin(version, selection)) yield version
    }
    if (page.length < pageLength) return
    after = page.at(-1)!.n
  }
}

/** Whether the selection may leave out versions of a document. */
export function narrowsVersions({ afterMs, beforeMs, currentOnly }: ExportSelection): boolean {
  return afterMs !== null || beforeMs !== null || currentOnly
}

function isWithin({ firstSeenAt }: Version, { afterMs, beforeMs }: ExportSelection): boolean {
  return (afterMs === null || firstSeenAt >= afterMs) && (beforeMs === null || firstSeenAt < beforeMs)
}
