import type { Blocks } from '../../core/change/change.ts'
import { AppError } from '../../core/errors.ts'
import type { CompareRequest, DiffReport, TextDiff } from '../../core/reports/history-report.ts'
import { readBlocks } from '../../core/text/blocks.ts'
import { documentText } from '../../core/text/document-text.ts'
import { withoutSpace } from '../../core/text/ignored-text.ts'
import { blocksOfLines } from '../../core/text/line-blocks.ts'
import { withoutAccess } from '../../core/url/access.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import type { BodyReader } from '../body-reader.ts'
import { nothingChanged, type ReportedChanges, reportChanges } from '../diff/change-report.ts'
import { diffTexts } from '../diff/text-diff.ts'
import type { VersionFinder } from './version-finder.ts'
import { sourceText, versionReport } from './version-report.ts'

type CompareDeps = { versions: VersionStore; bodies: BodyReader; finder: VersionFinder }

const nothing: TextDiff = { coarse: false, lines: { added: 0, removed: 0 }, words: { added: 0, removed: 0 }, hunks: [] }

export async function compareVersions(
  deps: CompareDeps,
  document: CataloguedDocument,
  request: CompareRequest,
): Promise<DiffReport> {
  const { from, to } = await choosePair(deps, document, request)
  const report = async (version: Version) => versionReport(version, (await deps.versions.links(version.id)).length)
  return {
    url: withoutAccess(document.url),
    from: await report(from),
    to: await report(to),
    ...(await compareTwo(deps.bodies, { from, to }, request)),
  }
}

export type Comparison = Omit<DiffReport, 'url' | 'from' | 'to'>
export type CompareTwoRequest = Omit<CompareRequest, 'from' | 'to'> & {
  /** Removes the parts of texts that a user wants to ignore; source is compared as it is. */
  cut?: ((text: string) => string) | undefined
  cutBlocks?: ((blocks: Blocks) => Blocks) | undefined
  /** Cache for repeated comparisons of the same pair. */
  remembered?: ((compare: () => ReportedChanges) => ReportedChanges) | undefined
}

/** What changed between two versions of a document, without the metadata of the versions. */
export async function compareTwo(
  bodies: BodyReader,
  { from, to }: VersionPair,
  request: CompareTwoRequest,
): Promise<Comparison> {
  const [old, next] = [await contentOf(bodies, from, request), await contentOf(bodies, to, request)]
  const inText = old.text !== null && next.text !== null
  const equal = inText ? old.text === next.text : from.digest.equals(to.digest)
  const compared = !inText ? 'bytes' : request.raw ? 'source' : 'text'
  const text = equal || !inText ? nothing : diffTexts(old.text!, next.text!, request)
  const isBlank = old.blocks === null || next.blocks === null
  const { remembered = (compare) => compare() } = request
  const changes = isBlank ? nothingChanged : remembered(() => reportChanges(old.blocks!(), next.blocks!()))
  return { compared, form: request.form, equal, ...text, ...changes, coarse: text.coarse || changes.coarse }
}

export type VersionPair = { from: Version; to: Version }

export async function choosePair(
  { versions, finder }: Omit<CompareDeps, 'bodies'>,
  document: CataloguedDocument,
  request: Pick<CompareRequest, 'from' | 'to'>,
): Promise<VersionPair> {
  const { from, to } = request
  const named = to === undefined ? null : await finder.choose(document, to)
  if (named !== null) {
    if (from !== undefined) return { from: await finder.choose(document, from), to: named }
    return { from: (await otherBefore(versions, named)) ?? named, to: named }
  }
  const last = await lastWithContent(versions, document.id)
  // If there is no version at all, the finder throws a better error.
  if (last === null) await finder.choose(document, 'last')
  if (last === null) throw new AppError('not-found', `no version of ${document.url} has a body to compare`)
  if (from !== undefined) return { from: await finder.choose(document, from), to: last }
  return { from: (await otherBefore(versions, last)) ?? last, to: last }
}

const pageSize = 50

async function lastWithContent(versions: VersionStore, documentId: number): Promise<Version | null> {
  return firstOf(versions, documentId, Number.MAX_SAFE_INTEGER, ({ digest }) => digest.length > 0)
}

/** The last earlier version with different content. */
async function otherBefore(versions: VersionStore, { documentId, n, digest }: Version): Promise<Version | null> {
  return firstOf(versions, documentId, n, (other) => other.digest.length > 0 && !other.digest.equals(digest))
}

/** The first match going back from `from`. */
async function firstOf(
  versions: VersionStore,
  documentId: number,
  from: number,
  fits: (version: Version) => boolean,
): Promise<Version | null> {
  for (let before = from; ; ) {
    const page = await versions.newest(documentId, { before, limit: pageSize })
    const found = page.find(fits)
    if (found !== undefined) return found
    if (page.length < pageSize) return null
    before = page.at(-1)!.n
  }
}

const absences = {
  dropped: 'was removed by gc; only its metadata is kept',
  lost: 'was damaged and is lost',
  none: 'was never kept',
}

/** Both are null for a document without text. */
type Compared = { text: string | null; blocks: (() => Blocks) | null }

async function contentOf(
  bodies: BodyReader,
  version: Version,
  request: Pick<CompareTwoRequest, 'raw' | 'ignoreSpace' | 'cut' | 'cutBlocks'>,
): Promise<Compared> {
  const { raw, ignoreSpace = false, cut = (text) => text, cutBlocks = (blocks) => blocks } = request
  const kept = await (raw ? bodies.read(version) : bodies.readText(version))
  const name = `the body of version ${version.n} of ${version.url}`
  if (kept.kind === 'damaged') throw new AppError('record-damaged', `${name} is damaged: ${kept.message}`)
  if (kept.kind === 'absent') {
    if (version.reason === 'gone')
      throw new AppError('not-found', `version ${version.n} of ${version.url} is gone and has no body`)
    throw new AppError('not-found', `${name} ${absences[kept.why]}`)
  }
  const { body, contentType } = kept
  const whole = raw ? sourceText(body, contentType) : documentText(body, { contentType, lines: true })
  if (whole === null) return { text: null, blocks: null }
  const text = raw ? whole : cut(whole)
  return {
    text: ignoreSpace ? withoutSpace(text) : text,
    blocks: () => (raw ? blocksOfLines(whole) : cutBlocks(readBlocks(body, { contentType }) ?? blocksOfLines(whole))),
  }
}
