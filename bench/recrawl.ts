import { spawnSync } from 'node:child_process'
import { AppError } from '../src/core/errors.ts'
import { type Measured, measureCommand, withFolder } from './measure.ts'
import type { OriginStats } from './origin/server.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'
import { findTool } from './tools.ts'

export const optionNames = ['pages', 'hosts', 'seed', 'latency-ms', 'fetchers', 'per-host', 'threads', 'rounds']

type Crawl = { label: string; measured: Measured; stats: OriginStats; versions: number; unchanged: number }

/**
 * The same web crawled for the first time, again with nothing changed, and again with every tenth page changed, on
 * origins with latency. Enough concurrent requests hide it, as on the open web.
 */
export async function run({ roots, values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const latencyMs = number('latency-ms', 20)
  const run = { fetchers: number('fetchers', 512), perHost: number('per-host', 64), threads: number('threads', 2) }
  const rounds = number('rounds', 1)
  const origin = await startOrigin({
    pages: number('pages', 60_000),
    hosts: number('hosts', 8),
    seed: number('seed', 1),
    latencyMs,
    roots,
  })
  try {
    const best = new Map<string, Crawl>()
    for (let round = 0; round < rounds; round++)
      for (const crawl of await withFolder((folder) => crawlThreeTimes(folder, origin, run))) {
        const before = best.get(crawl.label)
        if (before === undefined || rateOf(before) < rateOf(crawl)) best.set(crawl.label, crawl)
      }
    return tableOf([...best.values()], origin, latencyMs)
  } finally {
    await origin.close()
  }
}

async function crawlThreeTimes(
  folder: string,
  origin: Origin,
  run: { fetchers: number; perHost: number; threads: number },
): Promise<Crawl[]> {
  const command = findTool('erace').command({ origin, folder, maxPages: 0, ...run }, run.fetchers)
  async function once(label: string): Promise<Crawl> {
    // Do not pay for data that the previous crawl left to be written to disk.
    spawnSync('sync')
    await origin.reset()
    const measured = await measureCommand(command)
    const stats = await origin.stats()
    if (measured.exitCode !== 0) throw new AppError('internal', `the crawl ended with exit code ${measured.exitCode}`)
    const { stored, duplicates, unchanged } = JSON.parse(measured.stdout) as Record<string, number>
    const crawl = { label, measured, stats, versions: stored! + duplicates!, unchanged: unchanged! }
    process.stderr.write(`${label}: ${stats.distinct} documents, ${rateOf(crawl).toFixed(0)}/s\n`)
    return crawl
  }
  const crawls = [await once('first'), await once('again, nothing changed')]
  await origin.change(10)
  return [...crawls, await once('again, 10 % changed')]
}

function rateOf({ stats, measured }: Crawl): number {
  return stats.distinct / measured.seconds
}

function tableOf(crawls: Crawl[], origin: Origin, latencyMs: number): BenchTable {
  const [first, same, changed] = crawls as [Crawl, Crawl, Crawl]
  return {
    name: 'recrawl',
    columns: [
      'crawl',
      'documents',
      'seconds',
      'documents/s',
      'times first',
      'CPU ms/doc',
      'peak MB',
      'moved MB',
      '304',
      'unchanged',
      'new versions',
    ],
    rows: crawls.map((crawl) => [
      crawl.label,
      crawl.stats.distinct,
      crawl.measured.seconds,
      rateOf(crawl),
      rateOf(crawl) / rateOf(first),
      (crawl.measured.cpuSeconds / Math.max(1, crawl.stats.distinct)) * 1000,
      Math.round(crawl.measured.peakRssBytes / 1e6),
      crawl.stats.bytes / 1e6,
      crawl.stats.notModified,
      crawl.unchanged,
      crawl.versions,
    ]),
    stats: {
      ratioUnchangedToFirst: rateOf(same) / rateOf(first),
      ratioChangedToFirst: rateOf(changed) / rateOf(first),
      bytesUnchangedToFirst: same.stats.bytes / first.stats.bytes,
      bytesChangedToFirst: changed.stats.bytes / first.stats.bytes,
      firstPerSecond: rateOf(first),
    },
    notes: [
      `${origin.documents} documents, ${Math.round(origin.bodyBytes / origin.documents)} bytes on average, on ${origin.hosts.length} hosts with ${latencyMs} ms latency`,
    ],
  }
}
