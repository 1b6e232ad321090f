import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../../src/core/errors.ts'
import { type BenchChild, startChild } from '../deliver/child.ts'
import { withFolder } from '../measure.ts'
import type { BenchTable } from '../table.ts'
import { findTool } from '../tools.ts'
import { lastToFirstThird, type ProcessSample, sampleOf, showLine } from './samples.ts'
import type { WebOrigin, WebOriginData } from './web-origin-process.ts'

export type LongCrawl = WebOriginData & { fetchers: number; perHost: number; threads: number; samples: number }

type Sample = ProcessSample & { pages: number; originSeconds: number }

const LOOK_EVERY_MS = 100
/** The last sample is taken before the process ends and closes its files. */
const BEFORE_END = 0.99
const columns = ['pages', 'seconds', 'pages/s', 'CPU ms/page', 'RSS MB', 'anonymous MB', 'disk MB', 'files', 'threads']

/** One crawl of a large web, sampled after equal shares of its pages. */
export async function crawlLong(options: LongCrawl): Promise<BenchTable> {
  const { fetchers, perHost, threads, samples: _, ...web } = options
  const origin: BenchChild<WebOrigin> = startChild(new URL('./web-origin-process.ts', import.meta.url), web)
  try {
    const { port, hosts } = await origin.call('ready')
    const seeds = hosts.map((host) => `http://${host}:${port}/`)
    const place = { port, hosts, seeds }
    return await withFolder(async (folder) => {
      const command = findTool('erace').command(
        { origin: place, folder, maxPages: 0, fetchers, perHost, threads },
        fetchers,
      )
      const child = spawn(command.program, command.args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
      let report = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        report += text
      })
      const closed = once(child, 'close')
      const samples = await takeSamples(
        child.pid!,
        join(folder, 'data'),
        origin,
        options,
        () => child.exitCode === null,
      )
      const [exitCode] = (await closed) as [number | null]
      if (exitCode !== 0) throw new AppError('internal', `the crawl ended with exit code ${exitCode}`)
      return tableOf(samples, await origin.call('stats'), JSON.parse(report) as Record<string, number>, options)
    })
  } finally {
    await origin.end()
  }
}

async function takeSamples(
  pid: number,
  data: string,
  origin: BenchChild<WebOrigin>,
  { pages, samples: wanted }: LongCrawl,
  isRunning: () => boolean,
): Promise<Sample[]> {
  const startedAt = performance.now()
  const samples: Sample[] = []
  showLine(columns)
  while (isRunning()) {
    await pause(LOOK_EVERY_MS)
    const { distinct, cpuSeconds } = await origin.call('stats')
    const isDue = distinct >= ((samples.length + 1) * pages * BEFORE_END) / wanted
    if (!isDue || samples.length === wanted || !isRunning()) continue
    samples.push({ ...sampleOf(pid, startedAt, data), pages: distinct, originSeconds: cpuSeconds })
    showLine(rowsOf(samples).at(-1)!)
  }
  return samples
}

function rowsOf(samples: readonly Sample[]): number[][] {
  return samples.map((sample, at) => {
    const before = samples[at - 1] ?? { pages: 0, seconds: 0, cpuSeconds: 0 }
    const pages = Math.max(1, sample.pages - before.pages)
    return [
      sample.pages,
      sample.seconds,
      pages / (sample.seconds - before.seconds),
      ((sample.cpuSeconds - before.cpuSeconds) / pages) * 1000,
      Math.round(sample.rssBytes / 1e6),
      Math.round(sample.anonymousBytes / 1e6),
      Math.round(sample.diskBytes / 1e6),
      sample.files,
      sample.threads,
    ]
  })
}

type OriginReport = Awaited<ReturnType<WebOrigin['stats']>>

function tableOf(
  samples: readonly Sample[],
  served: OriginReport,
  report: Record<string, number>,
  options: LongCrawl,
): BenchTable {
  if (samples.length === 0)
    throw new AppError('usage-wrong', 'the crawl was over before it was looked at: it needs more pages')
  const rows = rowsOf(samples)
  const column = (name: string): number[] => rows.map((row) => row[columns.indexOf(name)]!)
  const notes = [
    `${served.distinct} of ${options.pages} pages, ${Math.round(served.bytes / served.requests)} bytes on average, on ${options.hosts} hosts; pages are made when they are asked for`,
    `the origin took ${Math.round((served.cpuSeconds / served.requests) * 1e6)} µs of the same processors for a page, and ${Math.round(served.rssBytes / 1e6)} MB`,
    `${report.stored} stored, ${report.failed} failed; ${served.duplicates} pages were asked for twice; ${served.connections} connections`,
  ]
  return {
    name: 'long crawl',
    columns,
    rows,
    stats: {
      rateLastToFirstThird: lastToFirstThird(column('pages/s')),
      cpuLastToFirstThird: lastToFirstThird(column('CPU ms/page')),
      anonymousLastToFirstThird: lastToFirstThird(column('anonymous MB')),
      rssLastToFirstThird: lastToFirstThird(column('RSS MB')),
      filesLastToFirstThird: lastToFirstThird(column('files')),
      peakRssMb: Math.max(...samples.map(({ peakRssBytes }) => peakRssBytes)) / 1e6,
      pagesPerSecond: served.distinct / samples.at(-1)!.seconds,
    },
    notes,
  }
}
