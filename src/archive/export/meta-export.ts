import { parseHttpDate } from '../../core/http/http-date.ts'
import type { ExportRequest } from '../../core/reports/export-report.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { digestText } from '../../core/url/fingerprint.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../store/contracts/versions.ts'
import { type MetaVersion, type WritableMetaDocument, writeMetaInfo } from '../../xml/meta-info/meta-info.ts'
import { readAhead } from '../read-ahead.ts'
import type { ExportWork } from './export-work.ts'
import { narrowsVersions, selectDocuments, selectHistory } from './selection.ts'

/** The meta-information of the selected documents as XML. Only a header that can't be read is left out. */
export async function exportMeta(work: ExportWork): Promise<void> {
  for await (const text of writeMetaInfo(chosenDocuments(work))) await work.target.write(text)
}

/** The same for all documents, as text. */
export function metaText(work: Pick<ExportWork, 'versions' | 'source' | 'stats'>): AsyncGenerator<string> {
  const selection = { urlPrefix: '', afterMs: null, beforeMs: null, currentOnly: false }
  return writeMetaInfo(chosenDocuments({ ...work, request: { selection } }))
}

type MetaWork = Pick<ExportWork, 'versions' | 'source' | 'stats'> & { request: Pick<ExportRequest, 'selection'> }

async function* chosenDocuments(work: MetaWork): AsyncGenerator<WritableMetaDocument> {
  const { versions, source, stats, request } = work
  const { selection } = request
  const headerOf: HeaderOf = async (version) => {
    if (version.header !== '' || version.record === null) return lineFeeds(version.header)
    const found = await source.header(version)
    if (found.kind === 'damaged') stats.leaveOut({ url: version.url, version: version.n, message: found.message })
    return found.kind === 'header' ? found.header : ''
  }
  async function read(document: CataloguedDocument): Promise<WritableMetaDocument | null> {
    const current = document.versionId === 0 ? null : await versions.version(document.versionId)
    const history = selectHistory(versions, document, current, selection)
    const first = await history.next()
    if (first.done && narrowsVersions(selection)) return null
    const chosen = first.done ? noVersions() : withFirst(first.value, history)
    return metaDocument(document, current, chosen, { versions, headerOf })
  }
  for await (const [, meta] of readAhead(selectDocuments(versions, selection), read, { weigh: () => 0 })) {
    if (meta === null) continue
    yield meta
    stats.count(0)
  }
}

type HeaderOf = (version: Version) => Promise<string>
type MetaSources = { versions: Pick<VersionStore, 'links'>; headerOf: HeaderOf }

/** Meta-information of a document, from the catalogue. `chosen` are its versions, oldest first. */
export async function metaDocument(
  document: CataloguedDocument,
  current: Version | null,
  chosen: AsyncIterable<Version>,
  { versions, headerOf }: MetaSources,
): Promise<WritableMetaDocument> {
  async function* all(): AsyncGenerator<MetaVersion> {
    for await (const version of chosen) {
      const isCurrent = version.id === current?.id
      const header = isCurrent ? null : (await headerOf(version)) || null
      yield metaVersion(version, header, isCurrent ? null : await versions.links(version.id))
    }
  }
  return {
    url: withoutAccess(document.url),
    ip: current?.address ?? '',
    kbytes: current === null ? null : Math.floor(current.size / 1024),
    ifModifiedSince: parseHttpDate(current?.lastModified ?? ''),
    header: current === null ? '' : await headerOf(current),
    links: current === null ? [] : await versions.links(current.id),
    parent: document.parent,
    outcome: document.outcome,
    location: document.location,
    firstSeen: document.firstAt,
    lastChecked: document.checkedAt,
    status: document.status,
    current: current?.n ?? null,
    versions: all(),
  }
}

function metaVersion(version: Version, header: string | null, links: readonly string[] | null): MetaVersion {
  const { reason, body, status, type, etag, lastModified, truncated, location, title } = version
  return {
    number: version.n,
    reason,
    body,
    firstSeen: version.firstSeenAt,
    lastSeen: version.lastSeenAt,
    status,
    bytes: version.size,
    ip: version.address,
    type,
    digest: version.digest.length === 0 ? '' : digestText(version.digest),
    textDigest: version.textDigest?.toString('hex') ?? '',
    etag,
    lastModified,
    truncated,
    location,
    title,
    header,
    links,
  }
}

function lineFeeds(header: string): string {
  const text = header.replaceAll('\r\n', '\n').trimEnd()
  return text === '' ? '' : `${text}\n`
}

async function* noVersions(): AsyncGenerator<Version> {}

async function* withFirst(first: Version, rest: AsyncIterable<Version>): AsyncGenerator<Version> {
  yield first
  yield* rest
}
