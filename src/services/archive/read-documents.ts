import { createVersionFinder } from '../../archive/history/version-finder.ts'
import { mutedBlocks } from '../../core/change/noise/muted-block.ts'
import { mapConcurrent } from '../../core/work/map-concurrent.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { CataloguedDocument, VersionStore } from '../../store/contracts/versions.ts'
import type { Visibility } from '../visibility/visibility.ts'
import { documentItem, timeText, versionItem } from './archive-items.ts'
import type { ArchiveReader, DocumentItem, PricePoint } from './archive-reader.ts'
import type { VisibleDocuments } from './visible-documents.ts'

type DocumentReader = Pick<
  ArchiveReader,
  'document' | 'documentOfUrl' | 'documents' | 'versions' | 'version' | 'chosen' | 'prices' | 'muted' | 'links'
>

const AT_ONCE = 5
const MAX_PRICES = 2000

export type DocumentReaderDeps = {
  versions: VersionStore
  inbox: Pick<InboxStore, 'documents'>
  visibility: Visibility
  visible: VisibleDocuments
  keyOf(url: string): DocumentKey | null
}

/** Requests about documents and versions that don't need their bodies. */
export function createDocumentReader(deps: DocumentReaderDeps): DocumentReader {
  const { versions, inbox, visibility, visible, keyOf } = deps
  const finder = createVersionFinder({ versions, keyOf })

  async function itemOf(document: CataloguedDocument): Promise<DocumentItem> {
    return documentItem(document, await visible.versionOf(document, null))
  }

  return {
    document: async ({ id, ...asker }) => itemOf(await visible.document(asker, id)),
    async documentOfUrl({ url, ...asker }) {
      const document = await visible.ofUrl(asker, url)
      return document === null ? null : itemOf(document)
    },
    async documents({ owner, before, limit }) {
      const page = await inbox.documents(owner, { before, limit: limit + 1 })
      const items = await mapConcurrent(page.slice(0, limit), AT_ONCE, async ({ documentId }) => {
        const document = await versions.documentOfId(documentId)
        return document === null ? [] : [await itemOf(document)]
      })
      return { items: items.flat(), next: page.length > limit ? page[limit - 1]!.annotation : null }
    },
    async prices({ document, ...asker }) {
      const { id } = await visible.document(asker, document)
      const series = new Map<string, PricePoint[]>()
      for (const { part, versionId, at, amount, currency, availability } of await versions.prices(id, {
        limit: MAX_PRICES,
      })) {
        const points = series.get(part) ?? []
        points.push({ version: versionId, at: new Date(at).toISOString(), amount, currency, availability })
        series.set(part, points)
      }
      return [...series].map(([part, points]) => ({ part, points })).sort((a, b) => (a.part < b.part ? -1 : 1))
    },
    async muted({ document, ...asker }) {
      const { id } = await visible.document(asker, document)
      const { state, undone } = await versions.noise(id)
      return mutedBlocks(state, undone, asker.owner).map((each) => ({ ...each, since: timeText(each.since) }))
    },
    async versions({ document, before, limit, ...asker }) {
      const { id } = await visible.document(asker, document)
      const page = await versions.newest(id, { before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 })
      const next = page.length > limit ? page[limit - 1]!.n : null
      return { items: page.slice(0, limit).map(versionItem), next }
    },
    version: async ({ id, ...asker }) => versionItem(await visible.version(asker, id)),
    chosen: async ({ document, choice, ...asker }) =>
      versionItem(await finder.choose(await visible.document(asker, document), choice)),
    async links({ document: id, version: versionId, offset, limit, ...asker }) {
      const document = await visible.document(asker, id)
      const version = await visible.versionOf(document, versionId)
      const urls = version === null ? [] : await versions.links(version.id)
      const page = urls.slice(offset, offset + limit)
      const known = new Map<string, CataloguedDocument>()
      await mapConcurrent([...new Set(page)], AT_ONCE, async (url) => {
        const key = keyOf(url)
        const found = key === null ? null : await versions.document(key)
        if (found !== null) known.set(url, found)
      })
      const seen = new Set((await visibility.of(asker).filter([...known.values()])).map((each) => each.id))
      const items = page.map((url) => {
        const found = known.get(url)
        return { url, document: found !== undefined && seen.has(found.id) ? found.id : null }
      })
      return { items, next: offset + limit < urls.length ? offset + limit : null }
    },
  }
}
