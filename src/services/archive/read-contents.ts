import type { BodyReader, VersionBody } from '../../archive/body-reader.ts'
import { diffPage } from '../../archive/diff/diff-page.ts'
import { mergePages } from '../../archive/diff/merge-pages.ts'
import { metaDocument } from '../../archive/export/meta-export.ts'
import { createRecordSource } from '../../archive/export/record-source.ts'
import { choosePair, compareTwo, type VersionPair } from '../../archive/history/compare.ts'
import { createVersionFinder } from '../../archive/history/version-finder.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { documentText } from '../../core/text/document-text.ts'
import { createIgnoredText } from '../../core/text/ignored-text.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import { writeMetaDocument } from '../../xml/meta-info/meta-info.ts'
import type { Visibility } from '../visibility/visibility.ts'
import { ownBytes, versionItem } from './archive-items.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { contentFormOf, inUtf8 } from './content-form.ts'
import { coveringProfiles } from './covering-profiles.ts'
import { patchText } from './patch-text.ts'
import type { VisibleDocuments } from './visible-documents.ts'

type ContentReader = Pick<ArchiveReader, 'content' | 'text' | 'diff' | 'meta'>

export type ContentReaderDeps = {
  versions: VersionStore
  objects: ObjectStore
  bodies: BodyReader
  visibility: Visibility
  visible: VisibleDocuments
  keyOf(url: string): DocumentKey | null
}

/** Of a longer history the newest stand in the meta-information. */
const MAX_META_VERSIONS = 500

/** What needs the bodies of versions. */
export function createContentReader(deps: ContentReaderDeps): ContentReader {
  const { versions, objects, bodies, visibility, visible, keyOf } = deps
  const ignored = createIgnoredText()
  const finder = createVersionFinder({ versions, keyOf })

  async function bodyOf(version: Version): Promise<VersionBody & { kind: 'body' }> {
    const kept = await bodies.read(version)
    if (kept.kind === 'body') return kept
    if (kept.kind === 'damaged') throw new AppError('record-damaged', `the body of version ${version.n} is damaged`)
    throw new AppError(kept.why === 'lost' ? 'record-damaged' : 'body-gone', absence(version, kept.why))
  }

  /** The newest, oldest of them first. */
  async function* historyOf(documentId: number): AsyncGenerator<Version> {
    const page = { before: Number.MAX_SAFE_INTEGER, limit: MAX_META_VERSIONS }
    yield* (await versions.newest(documentId, page)).reverse()
  }

  /** Null where the two are no pages that can be merged. */
  async function mergedPage({ from, to }: VersionPair, ignore: readonly string[]): Promise<string | null> {
    const [old, next] = [await bodyOf(from), await bodyOf(to)]
    const isPage = ({ contentType, body }: typeof old): boolean => contentFormOf(contentType, body).kind === 'html'
    if (!isPage(old) || !isPage(next)) return null
    const sources = [old, next].map(({ body, contentType }) => inUtf8(body, contentType))
    return mergePages(sources[0]!, sources[1]!, (text) => ignored.find(text, ignore))
  }

  return {
    async content({ owner, version: id, form }) {
      const version = await visible.version(owner, id)
      const { body, contentType } = await bodyOf(version)
      const { url, n, type } = version
      const shown = contentFormOf(contentType, body)
      const isText = shown.kind === 'html' || shown.kind === 'text'
      const content = form === 'shown' && isText ? inUtf8(body, contentType) : body
      return { ...ownBytes(content), form: shown, url, type, n }
    },
    async text({ owner, version: id }) {
      const version = await visible.version(owner, id)
      const { body, contentType } = await bodyOf(version)
      const text = documentText(body, { contentType, lines: true })
      if (text === null) throw new AppError('not-found', `the content type of version ${version.n} has no text`)
      return ownBytes(text)
    },
    async diff({ owner, document: id, from, to, as, showIgnored, ...request }) {
      const document = await visible.document(owner, id)
      const named = { from: from === null ? undefined : String(from), to: to === null ? undefined : String(to) }
      const pair = await choosePair({ versions, finder }, document, named)
      const form = as === 'patch' ? 'lines' : request.form
      const { profiles, ignore } = coveringProfiles(await visibility.of(owner).sources(), document.url)
      const isCut = ignore.length > 0 && !showIgnored && !request.raw
      if (as === 'page') {
        const page = await mergedPage(pair, isCut ? ignore : [])
        if (page !== null) return { ...ownBytes(page), name: nameOf(document, pair, 'html') }
      }
      const cut = isCut ? (text: string) => ignored.cut(text, ignore) : undefined
      const changes = await compareTwo(bodies, pair, { ...request, form, cut }).catch(withoutPlace)
      const ignoring = isCut ? ignore.length : 0
      const versionsOfIt = { from: versionItem(pair.from), to: versionItem(pair.to) }
      const report = { url: document.url, document: id, ...versionsOfIt, ignoring, profiles }
      switch (as) {
        case 'patch':
          return { ...ownBytes(patchText(pair, changes)), name: nameOf(document, pair, 'diff') }
        case 'page':
          return { ...ownBytes(diffPage({ ...report, ...changes })), name: nameOf(document, pair, 'html') }
        case 'json':
          return { ...ownBytes(JSON.stringify({ ...report, ...changes })), name: nameOf(document, pair, 'json') }
      }
    },
    async meta({ owner, document: id }) {
      const document = await visible.document(owner, id)
      // Where it was found may be a page of somebody else.
      const parent = document.parent === '' ? null : await visible.ofUrl(owner, document.parent)
      const current = await visible.versionOf(document, null)
      const source = createRecordSource({ versions, objects })
      try {
        const headerOf = async (version: Version): Promise<string> => {
          if (version.header !== '' || version.record === null) return version.header.replaceAll('\r\n', '\n')
          const found = await source.header(version)
          return found.kind === 'header' ? found.header : ''
        }
        const known = { ...document, parent: parent === null ? '' : document.parent }
        const meta = await metaDocument(known, current, historyOf(id), { versions, headerOf })
        let xml = ''
        for await (const piece of writeMetaDocument(meta)) xml += piece
        return ownBytes(xml)
      } finally {
        source.close()
      }
    },
  }
}

function nameOf({ host }: CataloguedDocument, { from, to }: VersionPair, ending: string): string {
  return `${host} ${from.n}-${to.n}.${ending}`
}

/** Where a damaged record lies is not for everybody. */
function withoutPlace(error: unknown): never {
  if (!isAppError(error, 'record-damaged')) throw error
  throw new AppError('record-damaged', 'the body of one of the two versions is damaged', { cause: error })
}

function absence({ n, reason, status }: Version, why: 'dropped' | 'lost' | 'none'): string {
  if (reason === 'gone') return `version ${n} records that the document is gone (status ${status}); it has no body`
  if (why === 'dropped') return `the body of version ${n} was deleted to save space; its metadata is kept`
  if (why === 'lost') return `the body of version ${n} was damaged; the next check fetches it again`
  return `version ${n} has no body`
}
