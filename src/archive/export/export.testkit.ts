import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ExportReport, ExportRequest } from '../../core/reports/export-report.ts'
import { bodyDigest, digestText } from '../../core/url/fingerprint.ts'
import { hostKey } from '../../core/url/partition.ts'
import { goneOf, pageOf } from '../../store/conformance/samples.testkit.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import { compressNextFile } from '../../store/sqlite/archive/compress.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { openShardStore } from '../../store/sqlite/folder/shard-store.ts'
import { createSqliteWalks } from '../../store/sqlite/frontier/walks.ts'
import { createSqliteAnnotations } from '../../store/sqlite/inbox/annotations.ts'
import { resourceRecord, responseRecord, revisitRecord, warcinfoRecord } from '../warc/record-writer.ts'
import { type ExportDeps, exportArchive } from './export.ts'

export type PageParts = {
  /** Time of the exchange in milliseconds since 1970. */
  at?: number
  headers?: string[]
  gzip?: boolean
  title?: string
  links?: string[]
  etag?: string
  lastModified?: string
}

/** A page as passed by the crawler, with a WARC record or revisit that other tools can read. */
export function pageWith(host: string, path: string, text: string, parts: PageParts = {}): Capture {
  const { at = Date.UTC(2026, 0, 2, 3, 4, 5, 678), headers = [], title = '', links = [] } = parts
  const body = parts.gzip === true ? gzipSync(text) : Buffer.from(text)
  const base = pageOf(host, path, text, {
    at,
    title,
    links,
    etag: parts.etag ?? '',
    lastModified: parts.lastModified ?? '',
  })
  const exchange = {
    uri: base.url,
    date: at,
    address: '192.0.2.1',
    statusLine: 'HTTP/1.1 200 OK',
    rawHeaders: [
      ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length)],
      ...(parts.gzip === true ? ['Content-Encoding', 'gzip'] : []),
      ...headers,
    ],
    payloadDigest: digestText(bodyDigest(body)),
  }
  return {
    ...base,
    render: (original) =>
      original === null
        ? responseRecord({ ...exchange, body, truncated: null }).parts
        : revisitRecord({
            ...exchange,
            profile: 'identical-payload-digest',
            refersToUri: original.url,
            refersToDate: original.at,
          }).parts,
  }
}

/** The same for items outside the web, such as a file on a file server. */
export function itemWith(
  host: string,
  path: string,
  content: string | Buffer,
  parts: Pick<PageParts, 'at' | 'title'> & { type?: string } = {},
): Capture {
  const { at = Date.UTC(2026, 0, 2, 3, 4, 5, 678), title = '', type = 'text/plain' } = parts
  const url = `ftp://${host}${path}`
  const body = Buffer.from(content)
  const item = {
    ...{ uri: url, date: at, address: '192.0.2.1', contentType: `${type}; charset=utf-8`, body, truncated: null },
    payloadDigest: digestText(bodyDigest(body)),
  }
  return {
    ...pageOf(host, path, body, { at, title, type }),
    ...{ url, host: hostKey(url) },
    render: (original) =>
      resourceRecord({ ...item, refers: original === null ? null : { uri: original.url, date: original.at } }).parts,
  }
}

/** A page that is gone. */
export function goneWith(host: string, path: string, at: number): Capture {
  return goneOf(host, path, {
    at,
    render: () =>
      responseRecord({
        uri: `http://${host}${path}`,
        date: at,
        address: '192.0.2.1',
        statusLine: 'HTTP/1.1 404 Not Found',
        rawHeaders: ['Content-Type', 'text/plain'],
        body: Buffer.alloc(0),
        payloadDigest: digestText(bodyDigest(Buffer.alloc(0))),
        truncated: null,
      }).parts,
  })
}

export type ExportFolder = Awaited<ReturnType<typeof createExportFolder>>

/** A data folder with the captures, created through the store's contracts, and a folder for exports next to it. */
export async function createExportFolder(captures: Iterable<Capture>, { maxFileBytes = 1_000_000 } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'erace-export-'))
  const folder = join(root, 'data')
  const out = join(root, 'out')
  mkdirSync(out)
  const held = openFolder({ folder, holder: 'test', shards: 1, lockWaitMs: 0 })
  const store = openShardStore({
    folder,
    shard: 0,
    shards: 1,
    run: 1,
    partitions: held.partitions,
    ports: [null],
    maxUrlsPerHost: 1_000_000,
    maxFileBytes,
    now: () => Date.UTC(2026, 0, 1),
    fileHeader: (filename) => warcinfoRecord({ filename, software: 'eRACE/test', date: 0 }),
    onClosed: () => {},
    onWarning: () => {},
  })
  const batch: Capture[] = []
  for (const capture of captures) {
    batch.push(capture)
    if (batch.length === 500) await store.documents.record(batch.splice(0))
  }
  await store.documents.record(batch)
  await store.close()
  await held.close()
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations })
  const versions = createSqliteVersions(db)
  const objects = createSqliteObjects(db, paths.archive(folder))

  return {
    folder,
    archive: paths.archive(folder),
    out,
    db: db as Database,
    versions,
    objects,
    /** Closes and compresses archive files, as the background job does; all or the first `count`. */
    compress(count = Number.POSITIVE_INFINITY): void {
      db.exec(`UPDATE files SET state = 'closed' WHERE state = 'open'`)
      for (let left = count; left > 0 && compressNextFile(db, paths.archive(folder), () => false); left--);
    },
    export(
      request: Partial<Omit<ExportRequest, 'selection'>> & { selection?: Partial<ExportRequest['selection']> },
      deps: Partial<ExportDeps> = {},
    ): Promise<ExportReport> {
      const all = { urlPrefix: '', afterMs: null, beforeMs: null, currentOnly: false }
      return exportArchive(
        { kind: 'warc', file: null, indexFile: null, ...request, selection: { ...all, ...request.selection } },
        {
          versions,
          objects,
          annotations: createSqliteAnnotations(db),
          frontier: { dropped: async () => [] },
          walks: createSqliteWalks(db as Database),
          output: process.stdout,
          software: 'eRACE/test',
          now: () => Date.UTC(2026, 5, 1),
          signal: new AbortController().signal,
          onProgress: () => {},
          ...deps,
        },
      )
    },
    remove(): void {
      db.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
