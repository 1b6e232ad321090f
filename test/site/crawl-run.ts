import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { CrawlResult } from '../../src/core/reports/crawl-report.ts'
import { type EraceEnd, lastLines, readResult, startErace } from '../faults/erace.ts'

/** Settings as a configuration file holds them: `{ crawl: { totalTimeout: '500ms' } }`. */
export type Settings = Record<string, Record<string, unknown>>

export type CrawlOptions = { settings?: Settings; options?: string[]; data?: string }

/** One line of the crawl's log. */
export type LogLine = { level: number; msg: string; [field: string]: unknown }

export type CrawlRun = { result: CrawlResult; log: LogLine[]; data: string; end: EraceEnd }

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'erace-hostile-'))
  folders.push(folder)
  return folder
}

/** Starts `erace crawl` without a delay of its own, with every line of its log. */
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

/** Runs a crawl that ends by itself and with success. */
export async function runCrawl(seeds: string[], options: CrawlOptions = {}): Promise<CrawlRun> {
  const run = await startCrawl(seeds, options).ended
  const result = readResult(run.end)
  assert.ok(
    result !== undefined && run.end.exitCode === 0,
    `exit ${run.end.exitCode}: ${run.end.stdout.slice(0, 1000)} ${lastLines(run.end)}`,
  )
  return { ...run, result: result as CrawlResult }
}

/** Every record against its digest and its row, as a person would check it. */
export async function assertVerified(data: string): Promise<void> {
  const end = await startErace(['verify', '--data', data]).ended
  assert.equal(end.exitCode, 0, end.stdout + end.stderr)
}

function readLog(text: string): LogLine[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []))
}
