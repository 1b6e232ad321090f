import type { ChangeSummary, HistoryReport, HistoryRequest, ShowReport } from '../../core/reports/history-report.ts'
import { readBlocks } from '../../core/text/blocks.ts'
import { documentText, textFingerprint } from '../../core/text/document-text.ts'
import { blocksOfLines } from '../../core/text/line-blocks.ts'
import { withoutAccess } from '../../core/url/access.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import type { BodyReader, VersionBody } from '../body-reader.ts'
import { changeSummary, type SummarisedContent } from '../diff/change-summary.ts'
import { toMarkdown } from '../markdown/to-markdown.ts'
import { failureWords } from '../media/converter.ts'
import type { FoundVersion } from './version-finder.ts'
import { sourceText, versionReport } from './version-report.ts'

const pageSize = 500

export async function readHistory(
  { versions, bodies }: { versions: VersionStore; bodies: BodyReader },
  document: CataloguedDocument,
  { limit, changes }: HistoryRequest,
): Promise<HistoryReport> {
  const { newest, before, more } = await newestVersions(versions, document.id, limit)
  const listed: HistoryReport['versions'] = []
  let previous = changes && before !== null ? await contentOf(bodies, before) : null
  for (const version of newest) {
    const known = version.textDigest ?? (await fingerprintOf(bodies, version))
    const report = versionReport({ ...version, textDigest: known }, (await versions.links(version.id)).length)
    if (!changes) {
      listed.push(report)
      continue
    }
    const content = version.reason === 'gone' ? null : await contentOf(bodies, version)
    listed.push({ ...report, changes: summaryOf(previous, content) })
    // A page that comes back is compared with the version before it was gone.
    if (version.reason !== 'gone') previous = content
  }
  return {
    url: withoutAccess(document.url),
    parent: document.parent,
    firstAskedAt: new Date(document.firstAt).toISOString(),
    lastCheckedAt: new Date(document.checkedAt).toISOString(),
    outcome: document.outcome,
    status: document.status,
    location: document.location,
    versions: listed,
    more,
  }
}

function summaryOf(previous: SummarisedContent | null, content: SummarisedContent | null): ChangeSummary | null {
  return previous === null || content === null ? null : changeSummary(previous, content)
}

/** `before`: the last version with content that is no longer listed. */
async function newestVersions(versions: VersionStore, documentId: number, limit: number) {
  const newest: Version[] = []
  let before: Version | null = null
  let more = 0
  for (let after = 0; ; ) {
    const page = await versions.history(documentId, { after, limit: pageSize })
    newest.push(...page)
    for (const older of newest.splice(0, Math.max(0, newest.length - limit))) {
      if (older.reason !== 'gone') before = older
      more++
    }
    if (page.length < pageSize) return { newest, before, more }
    after = page.at(-1)!.n
  }
}

/** Computes a text fingerprint that is not stored yet. */
async function fingerprintOf(bodies: BodyReader, version: Version): Promise<Buffer | null> {
  const found = version.reason === 'gone' ? null : await bodies.readText(version)
  return found?.kind === 'body' ? textFingerprint(found.body, { contentType: found.contentType }) : null
}

async function contentOf(bodies: BodyReader, version: Version): Promise<SummarisedContent | null> {
  const found = await bodies.readText(version)
  if (found.kind !== 'body') return null
  const { body, contentType } = found
  const text = documentText(body, { contentType, lines: true })
  return text === null ? null : { text, blocks: readBlocks(body, { contentType }) ?? blocksOfLines(text) }
}

export async function readShown(
  { versions, bodies }: { versions: VersionStore; bodies: BodyReader },
  { document, version }: FoundVersion,
  { markdown }: { markdown: boolean } = { markdown: false },
): Promise<ShowReport> {
  const [kept, links] = [await bodies.read(version), await versions.links(version.id)]
  const isGone = version.reason === 'gone'
  return {
    url: withoutAccess(document.url),
    version: versionReport(version, links.length),
    header: headerText(kept.kind === 'damaged' ? version.header : kept.header),
    content: shownContent(kept, isGone),
    ...(kept.kind === 'body' ? await shownText(bodies, version, markdown) : { text: null }),
    links,
  }
}

async function shownText(
  bodies: BodyReader,
  version: Version,
  asMarkdown: boolean,
): Promise<Pick<ShowReport, 'text' | 'markdown' | 'textFailure'>> {
  const found = await bodies.readText(version)
  if (found.kind !== 'body') return { text: null }
  const { body, contentType } = found
  const text = documentText(body, { contentType, lines: true })
  const markdown = asMarkdown ? toMarkdown({ body, contentType, url: withoutAccess(version.url) }) : null
  return {
    text,
    ...(asMarkdown && { markdown: markdown?.markdown ?? null }),
    ...(found.unreadable !== undefined && { textFailure: failureWords[found.unreadable] }),
  }
}

/** Header fields are octets; most beyond ASCII are UTF-8 today. */
function headerText(octets: string): string {
  const text = Buffer.from(octets, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? octets : text
}

function shownContent(kept: VersionBody, isGone: boolean): ShowReport['content'] {
  if (kept.kind === 'damaged') return kept
  if (kept.kind === 'absent') return { kind: 'absent', why: isGone && kept.why === 'none' ? 'gone' : kept.why }
  const { contentType, body } = kept
  return { kind: 'body', contentType, bytes: body, source: sourceText(body, contentType) }
}
