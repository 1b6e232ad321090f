import type { BodyReader } from '../../archive/body-reader.ts'
import { AppError } from '../../core/errors.ts'
import { withoutAccess } from '../../core/url/access.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import { ownBytes, versionItem } from '../archive/archive-items.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { contentFormOf, inUtf8 } from '../archive/content-form.ts'
import { bodyOf } from '../archive/kept-body.ts'
import type { VisibleDocuments } from '../archive/visible-documents.ts'
import type { Asker } from '../visibility/visibility.ts'
import { timeDigits } from './replay-path.ts'
import { replayPage } from './replayed-page.ts'

export type ReplayReaderDeps = { versions: VersionStore; bodies: BodyReader; visible: VisibleDocuments }

const MAX_CAPTURES = 500

/** The captures of an address at a given time, as one owner may see them. */
export function createReplayReader(deps: ReplayReaderDeps): Pick<ArchiveReader, 'captures' | 'capture' | 'replay'> {
  const { versions, bodies, visible } = deps

  async function documentOf(asker: Asker, url: string): Promise<CataloguedDocument> {
    const document = await visible.ofUrl(asker, url)
    if (document === null) throw new AppError('not-found', 'nothing of this address is in the archive')
    return document
  }

  /** The version that was current then; before the first one, the first. Null if nothing is kept. */
  async function versionThen(document: CataloguedDocument, at: number): Promise<Version | null> {
    const found = await versions.versionAt(document.id, at)
    return found ?? (await versions.history(document.id, { after: 0, limit: 1 }))[0] ?? null
  }

  /** The time of the nearest version before or after it with a different second, as addresses have no finer resolution. */
  async function neighbour(version: Version, side: 'before' | 'behind'): Promise<number | null> {
    const { documentId, n, firstSeenAt } = version
    const limit = 20
    const found =
      side === 'before'
        ? await versions.newest(documentId, { before: n, limit })
        : await versions.history(documentId, { after: n, limit })
    return found.find((each) => timeDigits(each.firstSeenAt) !== timeDigits(firstSeenAt))?.firstSeenAt ?? null
  }

  return {
    async captures({ url, ...asker }) {
      const document = await documentOf(asker, url)
      const page = { before: Number.MAX_SAFE_INTEGER, limit: MAX_CAPTURES + 1 }
      const found = await versions.newest(document.id, page)
      const items = found.slice(0, MAX_CAPTURES).map(versionItem)
      return { document: document.id, url: withoutAccess(document.url), items, isCut: found.length > MAX_CAPTURES }
    },
    async capture({ url, at, ...asker }) {
      const document = await documentOf(asker, url)
      const version = await versionThen(document, at)
      const shown = { document: document.id, url: withoutAccess(document.url), location: document.location }
      if (version === null) return { ...shown, version: null, previous: null, next: null }
      const [previous, next] = [await neighbour(version, 'before'), await neighbour(version, 'behind')]
      return { ...shown, version: versionItem(version), previous, next }
    },
    async replay({ version: id, ...asker }) {
      const version = await visible.version(asker, id)
      const url = withoutAccess(version.url)
      const kept = await bodyOf(version, bodies.read(version))
      const isShowable = contentFormOf(kept.contentType, kept.body).kind !== 'other'
      const { body, contentType } = isShowable ? kept : await bodyOf(version, bodies.readText(version))
      const form = contentFormOf(contentType, body)
      const found = { form, url, type: version.type, n: version.n }
      if (form.kind === 'text') return { ...ownBytes(inUtf8(body, contentType)), ...found }
      if (form.kind !== 'html') return { ...ownBytes(body), ...found }
      const at = version.firstSeenAt
      /** A resource of the page, as it was then, if the owner may see it. */
      const resource = async (address: string) => {
        const document = await visible.ofUrl(asker, address)
        const used = document === null ? null : await versionThen(document, at)
        const content = used === null ? null : await bodies.read(used)
        return content?.kind === 'body' ? content : null
      }
      return { ...ownBytes(await replayPage(inUtf8(body, contentType), { url, at, resource })), ...found }
    },
  }
}
