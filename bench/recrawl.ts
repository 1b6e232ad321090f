import { spawnSync } from 'node:child_process'
import { AppError } from '../src/core/errors.ts'
import { type Measured, measureCommand, medianOf, withFolder } from './measure.ts'
import type { OriginStats } from './origin/server.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'
import { findTool } from './tools.ts'

export const optionNames = ['pages', 'hosts', 'seed', 'latency-ms', 'fetchers', 'per-host', 'threads', 'rounds']

type Crawl = { label: string; measured: Measured; stats: OriginStats; versions: number; unchanged: number }

/**
 * The same web crawled for the first time, again with nothing changed, and again with every tenth page changed, in turn in each round, on
 * origins with latency. Enough concurrent requests hide it, as on the open web. Compares medians over all rounds; ratios are computed
 * within a round, since other load slows adjacent crawls down alike.
 */
export async function run({ roots, values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const latencyMs = values['latency-ms'] === '0' ? 0 : number('latency-ms', 20)
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
    const crawls: Crawl[][] = []
    for (let round = 0; round < rounds; round++)
      crawls.push(await withFolder((folder) => crawlThreeTimes(folder, origin, run)))
    return tableOf(crawls, origin, latencyMs)
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
    // Don't pay for data that the previous crawl has not yet flushed to disk.
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

function cpuOf({ stats, measured }: Crawl): number {
  return (measured.cpuSeconds / Math.max(1, stats.distinct)) * 1000
}

/** `rounds`: for each round, the crawls "first", "nothing changed" and "10 % changed". */
function tableOf(rounds: readonly Crawl[][], origin: Origin, latencyMs: number): BenchTable {
  const median = (place: number, figure: (crawl: Crawl, first: Crawl) => number): number =>
    medianOf(rounds.map((crawls) => figure(crawls[place]!, crawls[0]!)))
  const timesFirst = (crawl: Crawl, first: Crawl): number => rateOf(crawl) / rateOf(first)
  const cpuOfFirst = (crawl: Crawl, first: Crawl): number => cpuOf(first) / cpuOf(crawl)
  const bytesOfFirst = (crawl: Crawl, first: Crawl): number => crawl.stats.bytes / first.stats.bytes
  return {
    name: 'recrawl',
    columns: [
      'crawl',
      'documents',
      'seconds',
      'documents/s',
      'lowest',
      'highest',
      'times first',
      'CPU ms/doc',
      'CPU of first',
      'origin ms/doc',
      'peak MB',
      'moved MB',
      '304',
      'unchanged',
      'new versions',
    ],
    rows: rounds[0]!.map(({ label }, place) => {
      const rates = rounds.map((crawls) => rateOf(crawls[place]!))
      return [
        label,
        median(place, ({ stats }) => stats.distinct),
        median(place, ({ measured }) => measured.seconds),
        medianOf(rates),
        Math.min(...rates),
        Math.max(...rates),
        median(place, timesFirst),
        median(place, cpuOf),
        median(place, cpuOfFirst),
        median(place, ({ stats }) => (stats.cpuSeconds / Math.max(1, stats.distinct)) * 1000),
        Math.round(median(place, ({ measured }) => measured.peakRssBytes / 1e6)),
        median(place, ({ stats }) => stats.bytes / 1e6),
        median(place, ({ stats }) => stats.notModified),
        median(place, ({ unchanged }) => unchanged),
        median(place, ({ versions }) => versions),
      ]
    }),
    stats: {
      ratioUnchangedToFirst: median(1, timesFirst),
      ratioChangedToFirst: median(2, timesFirst),
      cpuRatioUnchangedToFirst: median(1, cpuOfFirst),
      cpuRatioChangedToFirst: median(2, cpuOfFirst),
      bytesUnchangedToFirst: median(1, bytesOfFirst),
      bytesChangedToFirst: median(2, bytesOfFirst),
      firstPerSecond: median(0, rateOf),
    },
    notes: [
      `${origin.documents} documents, ${Math.round(origin.bodyBytes / origin.documents)} bytes on average, on ${origin.hosts.length} hosts with ${latencyMs} ms latency`,
      `medians of ${rounds.length} rounds; the lowest and highest rate beside them; "CPU of first": how many times less than the first crawl's`,
    ],
  }
}
