import type { BodyReader } from '../../archive/body-reader.ts'
import type { ReportedChanges } from '../../archive/diff/change-report.ts'
import { diffPage } from '../../archive/diff/diff-page.ts'
import { mergePages } from '../../archive/diff/merge-pages.ts'
import { metaDocument } from '../../archive/export/meta-export.ts'
import { createRecordSource } from '../../archive/export/record-source.ts'
import {
  type CompareTwoRequest,
  type Comparison,
  choosePair,
  compareTwo,
  type VersionPair,
} from '../../archive/history/compare.ts'
import { createVersionFinder } from '../../archive/history/version-finder.ts'
import { toMarkdown } from '../../archive/markdown/to-markdown.ts'
import { failureWords, type MediaFailure } from '../../archive/media/converter.ts'
import type { Blocks } from '../../core/change/change.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { inertPage } from '../../core/inert/inert-page.ts'
import type { Span } from '../../core/pattern/pattern-search.ts'
import { documentText } from '../../core/text/document-text.ts'
import { createIgnoredText, type IgnoredText } from '../../core/text/ignored-text.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import { writeMetaDocument } from '../../xml/meta-info/meta-info.ts'
import { cutIgnored } from '../annotating/ignored-blocks.ts'
import { createSourceCover, type SourceCover } from '../preview/source-cover.ts'
import type { OwnedSource, Visibility } from '../visibility/visibility.ts'
import { ownBytes, timeText, versionItem } from './archive-items.ts'
import type { ArchiveReader, BriefChange, ContentForm, PairAsked } from './archive-reader.ts'
import { createComparisons } from './comparisons.ts'
import { contentFormOf, inUtf8 } from './content-form.ts'
import { bodyOf } from './kept-body.ts'
import type { VisibleDocuments } from './visible-documents.ts'

type ContentReader = Pick<ArchiveReader, 'content' | 'text' | 'markdown' | 'diff' | 'changes' | 'meta'>

export type ContentReaderDeps = {
  versions: VersionStore
  objects: ObjectStore
  bodies: BodyReader
  visibility: Visibility
  visible: VisibleDocuments
  keyOf(url: string): DocumentKey | null
}

/** Maximum number of versions, newest first, in the meta-information. */
const MAX_META_VERSIONS = 500
/** Work budget for the expressions of one request: about a quarter of a second. */
const CUTTING = 15_000_000

/** Requests that need the bodies of versions. */
export function createContentReader(deps: ContentReaderDeps): ContentReader {
  const { versions, objects, bodies, visibility, visible, keyOf } = deps
  const ignored = createIgnoredText()
  const finder = createVersionFinder({ versions, keyOf })
  const comparisons = createComparisons()

  /** Caches the changes, unless ignored text could not be cut as the view requires. */
  function keepUnless(isWrong: (() => boolean) | undefined, view: string, changes: ReportedChanges): ReportedChanges {
    if (isWrong?.() !== true) comparisons.keep(view, changes)
    return changes
  }

  /** The newest versions, in ascending order. */
  async function* historyOf(documentId: number): AsyncGenerator<Version> {
    const page = { before: Number.MAX_SAFE_INTEGER, limit: MAX_META_VERSIONS }
    yield* (await versions.newest(documentId, page)).reverse()
  }

  /** Null unless both are pages. */
  async function mergedPage({ from, to }: VersionPair, cutter: Cutter | null): Promise<string | null> {
    const [old, next] = [await bodyOf(from, bodies.readText(from)), await bodyOf(to, bodies.readText(to))]
    const isPage = ({ contentType, body }: typeof old): boolean => contentFormOf(contentType, body).kind === 'html'
    if (!isPage(old) || !isPage(next)) return null
    const sources = [old, next].map(({ body, contentType }) => inUtf8(body, contentType))
    const merge = () => mergePages(sources[0]!, sources[1]!, (text) => cutter?.find(text) ?? [])
    const merged = merge()
    return cutter?.isTooExpensive() ? merge() : merged
  }

  /** `tooExpensive`: cutting ignored text took too much work, so nothing was cut. */
  async function compared(
    pair: VersionPair,
    request: Omit<CompareTwoRequest, 'cut' | 'cutBlocks' | 'remembered'>,
    cutter: Cutter | null,
    ignore: readonly string[],
  ): Promise<{ changes: Comparison; tooExpensive: boolean }> {
    const view = JSON.stringify([pair.from.id, pair.to.id, request.raw, cutter === null ? [] : ignore])
    const remembered = (compute: () => ReportedChanges): ReportedChanges =>
      comparisons.get(view) ?? keepUnless(cutter?.isTooExpensive, view, compute())
    const cuts = { cut: cutter?.cut, cutBlocks: cutter?.cutBlocks }
    const compare = () => compareTwo(bodies, pair, { ...request, ...cuts, remembered }).catch(withoutPlace)
    const changes = await compare()
    const tooExpensive = cutter?.isTooExpensive() === true
    return { changes: tooExpensive ? await compare() : changes, tooExpensive }
  }

  return {
    async content({ version: id, form, ...asker }) {
      const version = await visible.version(asker, id)
      const { n, type } = version
      const url = withoutAccess(version.url)
      const kept = await bodyOf(version, bodies.read(version))
      const isShowable = contentFormOf(kept.contentType, kept.body).kind !== 'other'
      // Content that no browser shows, such as a mail message, is shown as the page its text is read from.
      const { body, contentType } =
        form === 'original' || isShowable ? kept : await bodyOf(version, bodies.readText(version))
      const shown = contentFormOf(contentType, body)
      const content = form === 'original' ? body : shownContent(shown, body, contentType, url)
      return { ...ownBytes(content), form: shown, url, type, n }
    },
    async text({ version: id, ...asker }) {
      const version = await visible.version(asker, id)
      const { body, contentType, unreadable } = await bodyOf(version, bodies.readText(version))
      const text = documentText(body, { contentType, lines: true })
      return ownBytes(text ?? noText(version, unreadable))
    },
    async markdown({ version: id, part, ...asker }) {
      const version = await visible.version(asker, id)
      const { body, contentType, unreadable } = await bodyOf(version, bodies.readText(version))
      const found = toMarkdown({ body, contentType, url: withoutAccess(version.url), part })
      return ownBytes((found ?? noText(version, unreadable)).markdown)
    },
    async diff({ owner, document: id, from, to, as, showIgnored, ...request }) {
      const asker = { owner }
      const document = await visible.document(asker, id)
      const pair = await choosePair({ versions, finder }, document, namesOf({ from, to }))
      const form = as === 'patch' ? 'lines' : request.form
      const { profiles, ignore } = coveringProfiles(await visibility.of(asker).sources(), document.url)
      const cutter = ignore.length > 0 && !showIgnored && !request.raw ? createCutter(ignored, ignore) : null
      if (as === 'page') {
        const page = await mergedPage(pair, cutter)
        if (page !== null)
          return { ...ownBytes(inertPage(page, withoutAccess(document.url))), name: nameOf(document, pair, 'html') }
      }
      const { changes, tooExpensive } = await compared(pair, { ...request, form }, cutter, ignore)
      const report = {
        url: withoutAccess(document.url),
        document: id,
        ...{ from: versionItem(pair.from), to: versionItem(pair.to) },
        ignoring: cutter === null || tooExpensive ? 0 : ignore.length,
        tooExpensive,
        profiles,
      }
      switch (as) {
        case 'patch':
          return { ...ownBytes(patchText(pair, changes)), name: nameOf(document, pair, 'diff') }
        case 'page':
          return { ...ownBytes(diffPage({ ...report, ...changes })), name: nameOf(document, pair, 'html') }
        case 'json':
          return { ...ownBytes(JSON.stringify({ ...report, ...changes })), name: nameOf(document, pair, 'json') }
      }
    },
    async changes({ document: id, from, to, ...asker }) {
      const document = await visible.document(asker, id)
      const pair = await choosePair({ versions, finder }, document, namesOf({ from, to }))
      const { ignore } = coveringProfiles(await visibility.of(asker).sources(), document.url)
      const cutter = ignore.length > 0 ? createCutter(ignored, ignore) : null
      const request = { form: 'lines', context: 0, raw: false, ignoreSpace: false } as const
      const { changes } = await compared(pair, request, cutter, ignore)
      return { from: versionItem(pair.from), to: versionItem(pair.to), equal: changes.equal, ...briefOf(changes) }
    },
    async meta({ document: id, ...asker }) {
      const document = await visible.document(asker, id)
      // The page it was found on may belong to another owner.
      const parent = document.parent === '' ? null : await visible.ofUrl(asker, document.parent)
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

function noText({ n }: Version, unreadable: MediaFailure | undefined): never {
  if (unreadable === undefined) throw new AppError('not-found', `the content type of version ${n} has no text`)
  throw new AppError('not-found', `version ${n} can't be read as text: ${failureWords[unreadable]}`)
}

function namesOf({ from, to }: Pick<PairAsked, 'from' | 'to'>) {
  return { from: from === null ? undefined : String(from), to: to === null ? undefined : String(to) }
}

const MAX_BRIEF_CHANGES = 30
const MAX_BRIEF_TEXT = 600

function briefOf({ changes, changeCount }: Comparison): { changes: BriefChange[]; more: number } {
  const brief = changes.slice(0, MAX_BRIEF_CHANGES).map(({ kind, path, before, after }) => ({
    ...{ kind, path: brieflyOf(path) },
    ...(before !== undefined && { before: brieflyOf(before) }),
    ...(after !== undefined && { after: brieflyOf(after) }),
  }))
  return { changes: brief, more: changeCount - brief.length }
}

function brieflyOf(text: string): string {
  return text.length <= MAX_BRIEF_TEXT ? text : `${text.slice(0, MAX_BRIEF_TEXT).toWellFormed()}…`
}

type Cutter = {
  cut(text: string): string
  cutBlocks(blocks: Blocks): Blocks
  find(text: string): readonly Span[]
  isTooExpensive(): boolean
}

/** Cuts text that the owner ignores, in all texts of a request. After too much work it cuts nothing: then repeat the comparison. */
function createCutter(ignored: IgnoredText, ignore: readonly string[]): Cutter {
  const budget = createWorkBudget(CUTTING)
  let isTooExpensive = false
  function orGiveUp<T>(result: T | null, otherwise: T): T {
    isTooExpensive ||= result === null
    return result ?? otherwise
  }
  return {
    cut: (text) => (isTooExpensive ? text : orGiveUp(ignored.cut(text, ignore, budget), text)),
    cutBlocks: (blocks) => (isTooExpensive ? blocks : orGiveUp(cutIgnored(blocks, ignore, ignored, budget), blocks)),
    find: (text) => (isTooExpensive ? [] : orGiveUp<readonly Span[]>(ignored.find(text, ignore, budget), [])),
    isTooExpensive: () => isTooExpensive,
  }
}

function nameOf({ host }: CataloguedDocument, { from, to }: VersionPair, ending: string): string {
  return `${host} ${from.n}-${to.n}.${ending}`
}

/** Hides the location of a damaged record from users. */
function withoutPlace(error: unknown): never {
  if (!isAppError(error, 'record-damaged')) throw error
  throw new AppError('record-damaged', 'the body of one of the two versions is damaged', { cause: error })
}

/** A page made inert, so that it makes no requests; other texts in UTF-8; everything else as received. */
function shownContent(
  { kind }: ContentForm,
  body: Uint8Array,
  contentType: string | undefined,
  url: string,
): string | Uint8Array {
  if (kind === 'html') return inertPage(inUtf8(body, contentType), url)
  return kind === 'text' ? inUtf8(body, contentType) : body
}

type CoveringProfiles = {
  /** Profiles with a source that has the page in its scope. */
  profiles: { id: string; name: string }[]
  /** All expressions that they ignore, without duplicates. */
  ignore: string[]
}

type Covered = { cover: SourceCover; owned: ReadonlyMap<OwnedSource['source'], OwnedSource> }

/** The same list of sources is used for page after page: compute its cover once. */
const known = new WeakMap<readonly OwnedSource[], Covered>()

function coveringProfiles(sources: readonly OwnedSource[], url: string): CoveringProfiles {
  const { cover, owned } = known.get(sources) ?? coverOf(sources)
  const found = cover.covering(url).map((source) => owned.get(source)!)
  return {
    profiles: [...new Map(found.map(({ profile: id, name }) => [id, { id, name }])).values()],
    ignore: [...new Set(found.flatMap(({ ignore }) => ignore))],
  }
}

function coverOf(sources: readonly OwnedSource[]): Covered {
  const owned = new Map(sources.map((each) => [each.source, each]))
  const landed = new Map(sources.map((each) => [each.source.uri, each.landed || each.source.uri]))
  const covered = { cover: createSourceCover([...owned.keys()], landed), owned }
  known.set(sources, covered)
  return covered
}

/** A unified diff, as `patch` reads it. */
function patchText({ from, to }: { from: Version; to: Version }, { hunks }: Comparison): string {
  const name = ({ url, n, firstSeenAt }: Version) =>
    `${withoutAccess(url).replace(/\s/g, '%20')}@${n}\t${timeText(firstSeenAt)}`
  const lines = [`--- ${name(from)}`, `+++ ${name(to)}`]
  for (const { fromLine, fromCount, toLine, toCount, pieces } of hunks) {
    lines.push(`@@ -${span(fromLine, fromCount)} +${span(toLine, toCount)} @@`)
    for (const { kind, text } of pieces) lines.push(signs[kind] + text)
  }
  return `${lines.join('\n')}\n`
}

const signs = { same: ' ', removed: '-', added: '+' } as const

function span(line: number, count: number): string {
  return count === 1 ? `${line}` : `${line},${count}`
}
