import assert from 'node:assert/strict'
import { createReadStream, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WARCParser } from 'warcio'
import type { CrawlResult } from '../../src/core/reports/crawl-report.ts'
import type { Version } from '../../src/store/contracts/versions.ts'
import { createSqliteVersions } from '../../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading } from '../../src/store/sqlite/folder/folder.ts'
import { type EraceEnd, lastLines, readResult, startErace } from '../kit/erace.ts'

/** Settings as in a configuration file: `{ crawl: { totalTimeout: '500ms' } }`. */
export type Settings = Record<string, Record<string, unknown>>

type CrawlOptions = { settings?: Settings; options?: string[]; data?: string }

/** One line of the crawl's log. */
type LogLine = { level: number; msg: string; [field: string]: unknown }

export type CrawlRun = { result: CrawlResult; log: LogLine[]; data: string; end: EraceEnd }

const folders: string[] = []
// A hook of the test runner would run after the first of several files that share a process.
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'erace-hostile-'))
  folders.push(folder)
  return folder
}

/** Starts `erace crawl` with no delay between requests and a log at level debug. */
export function startCrawl(
  seeds: string[],
  { settings = {}, options = [], data = join(newFolder(), 'data') }: CrawlOptions,
) {
  const config = join(newFolder(), 'erace.config.json')
  writeFileSync(config, JSON.stringify({ ...settings, log: { level: 'debug' } }))
  const args = ['crawl', ...seeds, '--data', data, '--config', config, '--json', '--delay', '0', ...options]
  const started = startErace(args)
  return { ...started, data, ended: started.ended.then((end) => ({ end, data, log: readLog(end.stderr) })) }
}

/** Runs a crawl, which must succeed. */
export async function runCrawl(seeds: string[], options: CrawlOptions = {}): Promise<CrawlRun> {
  const run = await startCrawl(seeds, options).ended
  const result = readResult(run.end)
  assert.ok(
    result !== undefined && run.end.exitCode === 0,
    `exit ${run.end.exitCode}: ${run.end.stdout.slice(0, 1000)} ${lastLines(run.end)}`,
  )
  return { ...run, result: result as CrawlResult }
}

/** Runs `erace verify`, which must find nothing wrong. */
export async function assertVerified(data: string): Promise<void> {
  const end = await startErace(['verify', '--data', data]).ended
  assert.equal(end.exitCode, 0, end.stdout + end.stderr)
}

function readLog(text: string): LogLine[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []))
}

/** The record archived for a URL. A revisit refers to the same body under another URL. */
export type KeptRecord = { type: 'response' | 'revisit'; truncated: string | null }

/** The last record of each URL. */
export async function readKept(data: string): Promise<Map<string, KeptRecord>> {
  const kept = new Map<string, KeptRecord>()
  const folder = join(data, 'archive')
  for (const name of readdirSync(folder)) {
    for await (const record of new WARCParser(createReadStream(join(folder, name)), { parseHttp: false })) {
      await record.skipFully()
      const type = record.warcType
      const truncated = record.warcHeaders.headers.get('WARC-Truncated') ?? null
      if (type === 'response' || type === 'revisit') kept.set(record.warcTargetURI ?? '', { type, truncated })
    }
  }
  return kept
}

/** All versions in a data folder, oldest first, by path and query of their URL. */
export async function keptVersions(data: string): Promise<Map<string, Version[]>> {
  const db = openCatalogForReading(data)
  try {
    const byPath = new Map<string, Version[]>()
    for (const version of await createSqliteVersions(db).versions({ after: 0, limit: 1_000_000 })) {
      const { pathname, search } = new URL(version.url)
      const path = pathname + search
      byPath.set(path, [...(byPath.get(path) ?? []), version])
    }
    return byPath
  } finally {
    db.close()
  }
}
