import type { BodyReader } from '../../archive/body-reader.ts'
import { diffScreenshots, pictureSize, type ScreenshotDiff } from '../../archive/diff/screenshot-diff.ts'
import { choosePair, type VersionPair } from '../../archive/history/compare.ts'
import { createVersionFinder } from '../../archive/history/version-finder.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { accessOf } from '../../core/url/access.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import type { Asker } from '../visibility/visibility.ts'
import { ownBytes } from './archive-items.ts'
import type { ArchiveReader, PairAsked } from './archive-reader.ts'
import { bodyOf } from './kept-body.ts'
import type { VisibleDocuments } from './visible-documents.ts'

export type ScreenshotReaderDeps = {
  versions: VersionStore
  bodies: BodyReader
  visible: VisibleDocuments
  keyOf(url: string): DocumentKey | null
}

/** Cached comparisons: clients request the list of differences first, then its image. */
const MAX_REMEMBERED = 4

type Side = { page: Version; picture: Version | null }
type Sides = { pair: VersionPair; before: Side; after: Side }

/**
 * Screenshots of pages rendered by a browser. They are stored as a separate document, `…#screenshot`, which is visible to everyone who
 * sees the page.
 */
export function createScreenshotReader(deps: ScreenshotReaderDeps): Pick<ArchiveReader, 'screenshots' | 'screenshot'> {
  const { versions, bodies, visible, keyOf } = deps
  const finder = createVersionFinder({ versions, keyOf })
  const remembered = new Map<string, ScreenshotDiff>()

  async function picturesOf({ url }: CataloguedDocument): Promise<CataloguedDocument | null> {
    const key = accessOf(url).render === 'browser' ? keyOf(`${url}#screenshot`) : null
    return key === null ? null : versions.document(key)
  }

  /** An unchanged screenshot makes no new version, so the one of a page is the last taken by then. */
  async function sideOf(page: Version, pictures: CataloguedDocument | null): Promise<Side> {
    const isThere = pictures !== null && page.reason !== 'gone'
    return { page, picture: isThere ? await versions.versionAt(pictures.id, page.firstSeenAt) : null }
  }

  async function sidesOf(asker: Asker, { document: id, from, to }: PairAsked): Promise<Sides> {
    const document = await visible.document(asker, id)
    const named = { from: from === null ? undefined : String(from), to: to === null ? undefined : String(to) }
    const pair = await choosePair({ versions, finder }, document, named)
    const pictures = await picturesOf(document)
    return { pair, before: await sideOf(pair.from, pictures), after: await sideOf(pair.to, pictures) }
  }

  async function bytesOf({ page, picture }: Side): Promise<Buffer> {
    if (picture === null) throw new AppError('not-found', `version ${page.n} has no screenshot`)
    const { body } = await bodyOf(picture, bodies.read(picture)).catch((error: unknown) => {
      if (!isAppError(error)) throw error
      throw new AppError(error.code, `the screenshot of version ${page.n} is not kept any more`, { cause: error })
    })
    return body
  }

  async function differenceOf({ before, after }: Sides): Promise<ScreenshotDiff> {
    const view = `${before.picture?.id} ${after.picture?.id}`
    // Read each time, so that a cached comparison isn't used once its screenshots are gone.
    const pictures = [await bytesOf(before), await bytesOf(after)] as const
    const known = remembered.get(view)
    if (known !== undefined) return known
    const found = await diffScreenshots(...pictures).catch(asDamage)
    remembered.set(view, found)
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
    return found
  }

  return {
    async screenshots({ document, from, to, ...asker }) {
      const sides = await sidesOf(asker, { document, from, to })
      const [before, after] = [await itemOf(sides.before), await itemOf(sides.after)]
      const compared = before === null || after === null ? null : await orNull(differenceOf(sides))
      return {
        ...{ from: sides.pair.from.n, to: sides.pair.to.n, before, after },
        ...{ changedShare: compared?.changedShare ?? null, boxes: compared?.boxes ?? [] },
      }
    },
    async screenshot({ document, from, to, picture, ...asker }) {
      const sides = await sidesOf(asker, { document, from, to })
      const tag = `${sides.before.picture?.id ?? 0}-${sides.after.picture?.id ?? 0}-${picture}`
      if (picture === 'difference') return { ...ownBytes((await differenceOf(sides)).png), tag }
      return { ...ownBytes(await bytesOf(sides[picture])), tag }
    },
  }

  async function itemOf(side: Side) {
    if (side.picture === null) return null
    const bytes = await orNull(bytesOf(side))
    const size = bytes === null ? null : await orNull((async () => pictureSize(bytes))())
    return size === null ? null : { version: side.page.id, n: side.page.n, ...size }
  }
}

/** Null for a permanent error; a temporary one fails the whole request. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (isAppError(error) && error.retry === 'never') return null
    throw error
  }
}

/** Our own browser made the image, so an invalid file is damage, not the fault of the request. */
function asDamage(error: unknown): never {
  if (!isAppError(error, 'file-invalid')) throw error
  throw new AppError('record-damaged', 'one of the two screenshots is damaged', { cause: error })
}
