import { findDocument } from '../../archive/history/version-finder.ts'
import { AppError } from '../../core/errors.ts'
import { type Access, accessOf, isOpen, withAccess, withoutAccess } from '../../core/url/access.ts'
import { hostKey } from '../../core/url/partition.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import type { Asker, Visibility } from '../visibility/visibility.ts'

/** Documents and versions as one owner finds them. A hidden document and a missing one give the same error. */
export type VisibleDocuments = {
  document(asker: Asker, id: number): Promise<CataloguedDocument>
  /** Null if there is none that the owner sees. */
  ofUrl(asker: Asker, url: string): Promise<CataloguedDocument | null>
  version(asker: Asker, id: number): Promise<Version>
  /** A version of this document; the current one if `versionId` is null, null if it has none. */
  versionOf(document: CataloguedDocument, versionId: number | null): Promise<Version | null>
}

export type VisibleDocumentsDeps = {
  versions: VersionStore
  visibility: Visibility
  /** The key under which a crawl files a URL; null for an invalid one. */
  keyOf(url: string): DocumentKey | null
}

/** Maximum number of access variants tried for one URL. */
const MAX_WAYS = 20

export function createVisibleDocuments({ versions, visibility, keyOf }: VisibleDocumentsDeps): VisibleDocuments {
  return {
    async document(asker, id) {
      const document = await versions.documentOfId(id)
      if (document !== null && (await visibility.of(asker).sees(document))) return document
      throw new AppError('not-found', `no document ${id}`)
    },
    async ofUrl(asker, url) {
      const view = visibility.of(asker)
      // First with the access of the owner's sources on that host, then as anyone may request it.
      const host = hostKey(url)
      const bare = withoutAccess(url)
      const sources = (await view.sources()).map(({ source }) => source.uri)
      const own = new Set(
        sources.filter((uri) => !isOpen(uri) && hostKey(uri) === host).map((uri) => JSON.stringify(accessOf(uri))),
      )
      const asked = [...[...own].map((access) => withAccess(bare, JSON.parse(access) as Access)), url]
      for (const each of asked.slice(0, MAX_WAYS)) {
        const document = await findDocument({ versions, keyOf }, each)
        if (document !== null && (await view.sees(document))) return document
      }
      return null
    },
    async version(asker, id) {
      const version = await versions.version(id)
      const document = version === null ? null : { id: version.documentId, url: version.url }
      if (document !== null && (await visibility.of(asker).sees(document))) return version!
      throw new AppError('not-found', `no version ${id}`)
    },
    async versionOf(document, versionId) {
      if (versionId === null) return document.versionId === 0 ? null : versions.version(document.versionId)
      const version = await versions.version(versionId)
      if (version?.documentId === document.id) return version
      throw new AppError('not-found', `document ${document.id} has no version ${versionId}`)
    },
  }
}
