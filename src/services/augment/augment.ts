import { rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { AugmentProgress, AugmentReport, TableProblem } from '../../core/reports/augment-report.ts'
import { extractFeed } from '../../crawl/extract/feed-page.ts'
import { extractPage } from '../../crawl/extract/page.ts'
import { documentDigest, isTable, readTable, type TableKind } from '../../crawl/tables/table-text.ts'
import { MAX_TOL_BYTES, writeLinkTable } from '../../crawl/tables/tol.ts'
import { findVolatileParts, isXmlType, MAX_TVI_BYTES, writeVolatileTable } from '../../crawl/tables/tvi.ts'
import { type FolderLimits, readWithin, replaceFile, walkFolders } from './site-folder.ts'

export type AugmentRequest = {
  folder: string
  /** URL of the folder on the web, to make links absolute. Null to leave them as in the documents. */
  base: string | null
  /** Writes nothing, and reports each necessary write as a problem. */
  check: boolean
  clock: Pick<Clock, 'monotonic'>
  limits?: Partial<FolderLimits>
  /** Called every hundred documents. */
  onProgress?: (progress: AugmentProgress) => void
}

const defaultLimits: FolderLimits = { maxFiles: 1_000_000, maxDepth: 64, maxBytes: 10_000_000 }
const MAX_LISTED = 1000
const DOCUMENTS_PER_PROGRESS = 100
const MAX_LINKS = 100_000
const tableBytes: Record<TableKind, number> = { TOL: MAX_TOL_BYTES, TVI: MAX_TVI_BYTES }
const kinds = ['TOL', 'TVI'] as const satisfies readonly TableKind[]

/** By suffix, as static servers do. */
const documentTypes: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['xhtml', 'application/xhtml+xml'],
  ['xml', 'application/xml'],
  ['rss', 'application/rss+xml'],
  ['atom', 'application/atom+xml'],
])

/**
 * Writes the tables of a static site next to its documents. A table is written only if its text changes, so a second run writes nothing.
 * Files that have the name of a table but aren't one are never touched.
 */
export async function augmentFolder({
  folder,
  base,
  check,
  clock,
  limits = {},
  onProgress = () => {},
}: AugmentRequest): Promise<AugmentReport> {
  const startedAt = clock.monotonic()
  const within = { ...defaultLimits, ...limits }
  const report: AugmentReport = {
    ...{ folder, documents: 0, links: 0, volatileParts: 0, written: 0, unchanged: 0, removed: 0 },
    ...{ skipped: [], skippedCount: 0, problems: [], problemCount: 0, seconds: 0 },
  }

  function skip(file: string, reason: string): void {
    if (report.skippedCount++ < MAX_LISTED) report.skipped.push({ file, reason })
  }

  function complain(file: string, problem: TableProblem): void {
    if (report.problemCount++ < MAX_LISTED) report.problems.push({ file, problem })
  }

  /** `text` is null if the document should have no such table. */
  async function settle(kind: TableKind, file: string, isThere: boolean, text: string | null): Promise<void> {
    const path = join(folder, file)
    const before = isThere ? await readWithin(path, tableBytes[kind]) : null
    if (isThere && (before === null || !isTable(kind, before))) {
      if (text !== null) complain(file, 'foreign')
      return
    }
    if (before !== null && text !== null && before.equals(Buffer.from(text))) {
      report.unchanged++
      return
    }
    // Keep an orphan that was edited by hand.
    if (text === null) return before === null || readTable(kind, before) === null ? undefined : remove(file)
    if (check) return complain(file, before === null ? 'missing' : 'stale')
    await replaceFile(path, text)
    report.written++
  }

  async function remove(file: string): Promise<void> {
    if (check) return complain(file, 'orphaned')
    await rm(join(folder, file))
    report.removed++
  }

  async function augmentDocument(path: string, name: string, names: ReadonlySet<string>): Promise<void> {
    const file = join(path, name)
    const body = await readWithin(join(folder, file), within.maxBytes)
    if (body === null) return skip(file, `larger than ${within.maxBytes} bytes`)
    const tables = tablesOf(body, typeOf(name)!, base === null ? null : urlOf(file, base))
    report.links += tables.links
    report.volatileParts += tables.parts
    for (const kind of kinds) {
      const text = tables[kind]
      if (text !== null && Buffer.byteLength(text) > tableBytes[kind])
        skip(`${file}.${kind}`, `the table would be larger than ${tableBytes[kind]} bytes`)
      else await settle(kind, `${file}.${kind}`, names.has(`${name}.${kind}`), text)
    }
    if (tables.TOL === null && tables.TVI === null) return
    if (++report.documents % DOCUMENTS_PER_PROGRESS === 0) onProgress(report)
  }

  for await (const { path, names } of walkFolders(folder, within)) {
    for (const name of names) {
      if (typeOf(name) !== null) await augmentDocument(path, name, names)
      const kind = kinds.find((each) => name.endsWith(`.${each}`))
      const document = kind === undefined ? '' : name.slice(0, -kind.length - 1)
      if (kind !== undefined && typeOf(document) !== null && !names.has(document))
        await settle(kind, join(path, name), true, null)
    }
  }
  report.seconds = Math.round(clock.monotonic() - startedAt) / 1000
  return report
}

type Tables = Record<TableKind, string | null> & { links: number; parts: number }

/** Uses the crawler's own link extraction, so that a table lists what the crawler would find in the document. */
function tablesOf(body: Buffer, contentType: string, url: string | null): Tables {
  const source = { contentType, url: url ?? 'http://localhost/', maxLinks: MAX_LINKS }
  const isXml = isXmlType(contentType)
  const found = isXml ? extractFeed(body, source) : extractPage(body, source)
  const parts = findVolatileParts(body, isXml)
  // Regardless of the crawler addressed: a table doesn't know its reader.
  const isNofollow = found?.metas.some(({ content }) => /\b(?:nofollow|none)\b/i.test(content)) === true
  return {
    TOL: found === null ? null : writeLinkTable(found, { document: documentDigest(body), url, isNofollow }),
    TVI: parts.length === 0 ? null : writeVolatileTable(body, parts),
    links: found === null || isNofollow ? 0 : found.links.length,
    parts: parts.length,
  }
}

/** Null if it is not a document. */
function typeOf(name: string): string | null {
  return documentTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? null
}

function urlOf(file: string, base: string): string {
  return new URL(file.split(sep).map(encodeURIComponent).join('/'), base).href
}
