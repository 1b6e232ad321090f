import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../src/core/errors.ts'
import { startChild } from './deliver/child.ts'
import { withFolder } from './measure.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'
import { runErace } from './tables/erace.ts'
import type { FolderOrigin, FolderOriginData, FolderStats } from './tables/folder-origin.ts'
import { writeSite, writeSitemap } from './tables/site.ts'

export const optionNames = ['chains', 'lists', 'articles', 'page-bytes', 'latency-ms', 'per-host', 'rounds', 'seed']

/** How a crawl discovers pages, as command-line options. */
type Way = {
  name: string
  options: readonly string[]
  /** The site has a sitemap instead of tables of links: named in robots.txt, or only at its usual path. */
  sitemap?: 'named' | 'unnamed'
}

const ways: readonly Way[] = [
  { name: 'pages alone', options: ['--tables', 'none'] },
  { name: 'tables of links', options: ['--tables', 'first'] },
  { name: 'tables, after eight pages', options: [] },
  { name: 'sitemap, by robots.txt', options: [], sitemap: 'named' },
  { name: 'sitemap, looked for first', options: ['--tables', 'first'], sitemap: 'unnamed' },
  { name: 'sitemap, after eight pages', options: ['--tables', 'search'], sitemap: 'unnamed' },
]

type Link = { name: string; bytesPerSecond: number }

/** Connections: latency alone, or with limited bandwidth as on a real line. */
const lines: readonly Link[] = [
  { name: 'latency alone', bytesPerSecond: 0 },
  { name: '10 Mbit/s', bytesPerSecond: 1_250_000 },
]

type Crawl = { way: Way; line: Link; seconds: number; stats: FolderStats; fetched: number }

/** The same site of chained pages, crawled with and without its tables; the best of all rounds counts. */
export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const shape = {
    ...{ chains: number('chains', 4), lists: number('lists', 125), articles: number('articles', 3) },
    ...{ pageBytes: number('page-bytes', 30_000), seed: number('seed', 1) },
  }
  const [latencyMs, perHost, rounds] = [number('latency-ms', 50), number('per-host', 32), number('rounds', 2)]
  return withFolder(async (folder) => {
    const site = join(folder, 'site')
    const pages = writeSite(site, shape)
    await runErace(['augment', site])
    const bare = join(folder, 'bare')
    writeSite(bare, shape)
    const crawls: Crawl[] = []
    for (const line of lines) {
      const startOrigin = (served: string) =>
        startChild<FolderOrigin>(new URL('./tables/folder-origin.ts', import.meta.url), {
          ...{ folder: served, latencyMs, bytesPerSecond: line.bytesPerSecond },
        } satisfies FolderOriginData)
      const [augmented, plain] = [startOrigin(site), startOrigin(bare)]
      try {
        for (let round = 0; round < rounds; round++)
          for (const way of ways) {
            const origin = way.sitemap === undefined ? augmented : plain
            const { port } = await origin.call('ready')
            if (way.sitemap !== undefined) {
              writeSitemap(bare, `http://127.0.0.1:${port}/`, way.sitemap === 'named')
              await origin.call('reload')
            }
            const data = join(folder, `data-${crawls.length}`)
            mkdirSync(data)
            await origin.call('stats')
            const seed = `http://127.0.0.1:${port}/`
            const options = [
              '--delay',
              '0',
              '--per-host',
              `${perHost}`,
              '--threads',
              '1',
              '--data',
              data,
              '--json',
              '-q',
            ]
            const result = await runErace(['crawl', seed, '--allow-net', '127.0.0.0/8', ...options, ...way.options])
            const stats = await origin.call('stats')
            const { seconds, fetched } = JSON.parse(result) as { seconds: number; fetched: number }
            if (stats.documents < pages)
              throw new AppError('internal', `${way.name} missed ${pages - stats.documents} of ${pages} pages`)
            process.stderr.write(`${line.name}, ${way.name}: ${seconds} s, ${stats.requests} requests\n`)
            crawls.push({ way, line, seconds, stats, fetched })
          }
      } finally {
        await Promise.all([augmented.end(), plain.end()])
      }
    }
    const notes = [
      `${pages} pages of ${shape.pageBytes} bytes in ${shape.chains} chains of ${shape.lists} lists with ${shape.articles} articles each`,
      `${latencyMs} ms for each answer, at most ${perHost} connections, best of ${rounds} rounds`,
    ]
    return tableOf(crawls, notes)
  })
}

function tableOf(crawls: readonly Crawl[], notes: string[]): BenchTable {
  const rows: (string | number)[][] = []
  const figures: Record<string, number> = {}
  for (const line of lines) {
    const best = (way: Way): Crawl =>
      crawls.filter((crawl) => crawl.line === line && crawl.way === way).sort((a, b) => a.seconds - b.seconds)[0]!
    const plain = best(ways[0]!)
    for (const way of ways) {
      const { seconds, stats, fetched } = best(way)
      const less = (1 - seconds / plain.seconds) * 100
      rows.push([line.name, way.name, seconds, less, stats.requests, stats.other, fetched, stats.mostAtOnce])
      if (way !== ways[0]) figures[`percentLess, ${line.name}, ${way.name}`] = less
    }
  }
  const columns = ['line', 'links from', 'seconds', '% less time', 'requests', 'of them no pages', 'fetched', 'at once']
  return { name: 'tables', columns, rows, stats: figures, notes }
}
