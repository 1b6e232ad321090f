import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../src/core/errors.ts'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import { openSqliteSearchIndex } from '../src/store/sqlite/search/search-index.ts'
import { measureCommand } from './measure.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import { findTool } from './tools.ts'

const HOSTS = 8
const LATENCY_MS = 20
const ROUNDS = 3

/**
 * How much longer a crawl takes when its texts are indexed meanwhile. The origin answers slowly, one request a host
 * at a time, so that the crawl is calm enough for the index to be worked on at all.
 */
export async function measureSlowdown(pages: number): Promise<{ ratio: number; note: string }> {
  const origin = await startOrigin({ pages, hosts: HOSTS, latencyMs: LATENCY_MS })
  try {
    const without: number[] = []
    const beside: number[] = []
    let indexed = 0
    for (let round = 0; round < ROUNDS; round++) {
      without.push((await crawlOnce(origin, false)).seconds)
      const run = await crawlOnce(origin, true)
      beside.push(run.seconds)
      indexed = Math.max(indexed, run.indexed)
    }
    // The best of each: whatever else happens on the machine only ever adds time.
    const ratio = Math.min(...beside) / Math.min(...without)
    const note = `A crawl of ${origin.documents} pages with ${LATENCY_MS} ms latency takes ${ratio.toFixed(2)} times as long with indexing as without; ${indexed} versions were indexed when it ended. A crawl that keeps the processor busy is not indexed meanwhile.`
    return { ratio, note }
  } finally {
    await origin.close()
  }
}

async function crawlOnce(origin: Origin, indexes: boolean): Promise<{ seconds: number; indexed: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-bench-search-crawl-'))
  try {
    const run = { origin, folder, maxPages: origin.documents, fetchers: 64, perHost: 1, threads: 2 }
    const command = findTool('erace').command(run, run.fetchers)
    const args = indexes ? command.args : [...command.args, '--no-index']
    const { exitCode, stdout } = await measureCommand({ ...command, args })
    if (exitCode !== 0) throw new AppError('internal', `the crawl ended with ${exitCode}`)
    const { seconds } = JSON.parse(stdout) as CrawlResult
    return { seconds, indexed: indexes ? await countIndexed(join(folder, 'data', 'search.db')) : 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function countIndexed(path: string): Promise<number> {
  const index = openSqliteSearchIndex({ path, kept: async () => new Set() })
  try {
    return (await index.counts()).versions
  } finally {
    await index.close()
  }
}
