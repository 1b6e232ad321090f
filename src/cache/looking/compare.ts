import { AppError } from '../../core/errors.ts'
import type { CompareRequest, DiffReport, TextDiff } from '../../core/looking-report.ts'
import { documentText } from '../../core/text/document-text.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/versions.ts'
import type { BodyReader } from '../body-reader.ts'
import { diffTexts } from '../diff/text-diff.ts'
import { sourceText } from './source-text.ts'
import type { VersionFinder } from './version-finder.ts'
import { versionReport } from './version-report.ts'

type CompareDeps = { versions: VersionStore; bodies: BodyReader; finder: VersionFinder }

const nothing: TextDiff = { coarse: false, lines: { added: 0, removed: 0 }, words: { added: 0, removed: 0 }, hunks: [] }

export async function compareVersions(
  deps: CompareDeps,
  document: CataloguedDocument,
  request: CompareRequest,
): Promise<DiffReport> {
  const { from, to } = await choosePair(deps, document, request)
  const [old, next] = [await contentOf(deps.bodies, from, request.raw), await contentOf(deps.bodies, to, request.raw)]
  const inText = old.text !== null && next.text !== null
  const equal = inText ? old.text === next.text : from.digest.equals(to.digest)
  const compared = !inText ? 'bytes' : request.raw ? 'source' : 'text'
  const report = async (version: Version) => versionReport(version, (await deps.versions.links(version.id)).length)
  return {
    url: document.url,
    from: await report(from),
    to: await report(to),
    compared,
    form: request.form,
    equal,
    ...(equal || !inText ? nothing : diffTexts(old.text!, next.text!, request)),
  }
}

async function choosePair({ versions, finder }: CompareDeps, document: CataloguedDocument, request: CompareRequest) {
  if (request.from !== undefined && request.to !== undefined) {
    return { from: await finder.choose(document, request.from), to: await finder.choose(document, request.to) }
  }
  const { last, other } = await lastTwo(versions, document.id)
  // Where there is none at all, the finder knows more.
  if (last === null) await finder.choose(document, 'last')
  if (last === null) throw new AppError('not-found', `no version of ${document.url} has a body to compare`)
  const from = request.from === undefined ? (other ?? last) : await finder.choose(document, request.from)
  return { from, to: last }
}

const pageSize = 500

/** The last version with content, and the last before it whose content is another. */
async function lastTwo(versions: VersionStore, documentId: number) {
  let last: Version | null = null
  let other: Version | null = null
  for (let after = 0; ; ) {
    const page = await versions.history(documentId, { after, limit: pageSize })
    for (const version of page) {
      if (version.digest.length === 0) continue
      if (last !== null && !last.digest.equals(version.digest)) other = last
      last = version
    }
    if (page.length < pageSize) return { last, other }
    after = page.at(-1)!.n
  }
}

const absences = {
  dropped: 'was collected; only its meta-info is kept',
  lost: 'was damaged and is not there any more',
  none: 'never was there',
}

async function contentOf(bodies: BodyReader, version: Version, raw: boolean): Promise<{ text: string | null }> {
  const kept = await bodies.read(version)
  const name = `the body of version ${version.n} of ${version.url}`
  if (kept.kind === 'damaged') throw new AppError('record-damaged', `${name} is damaged: ${kept.message}`)
  if (kept.kind === 'absent') {
    if (version.reason === 'gone')
      throw new AppError('not-found', `version ${version.n} of ${version.url} is gone and has no body`)
    throw new AppError('not-found', `${name} ${absences[kept.why]}`)
  }
  const { body, contentType } = kept
  if (raw) return { text: sourceText(body, contentType) }
  return { text: documentText(body, { contentType, lines: true }) }
}
