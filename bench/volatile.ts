import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../src/core/errors.ts'
import { startChild } from './deliver/child.ts'
import { withFolder } from './measure.ts'
import { createRandom, type Random } from './origin/random.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'
import { runErace } from './tables/erace.ts'
import type { FolderOrigin, FolderOriginData, FolderStats } from './tables/folder-origin.ts'
import { fillerOf } from './tables/site.ts'

export const optionNames = ['pages', 'page-bytes', 'latency-ms', 'bytes-per-second', 'per-host', 'seed']

type Check = { way: string; what: string; seconds: number; stats: FolderStats; stored: number }

const ways = [
  { name: 'pages', options: ['--tables', 'none'] },
  { name: 'tables', options: ['--tables', 'first'] },
] as const

/** Pages that contain a price and a time, rechecked after both have changed and after nothing has, with and without their tables. */
export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const [pages, pageBytes] = [number('pages', 1000), number('page-bytes', 40_000)]
  const [latencyMs, perHost] = [number('latency-ms', 50), number('per-host', 8)]
  const bytesPerSecond = number('bytes-per-second', 1_250_000)
  return withFolder(async (folder) => {
    const site = join(folder, 'site')
    const checks: Check[] = []
    writePages(site, pages, pageBytes, 0, number('seed', 1))
    const origin = startChild<FolderOrigin>(new URL('./tables/folder-origin.ts', import.meta.url), {
      ...{ folder: site, latencyMs, bytesPerSecond },
    } satisfies FolderOriginData)
    try {
      const { port } = await origin.call('ready')
      for (const [n, way] of ways.entries()) {
        const publish = async (round: number): Promise<void> => {
          writePages(site, pages, pageBytes, round, number('seed', 1))
          await runErace(['augment', site])
          await origin.call('reload')
          await origin.call('stats')
        }
        const check = async (what: string, expected: number): Promise<void> => {
          const options = [
            '--delay',
            '0',
            '--per-host',
            `${perHost}`,
            '--threads',
            '1',
            '--data',
            join(folder, `data-${n}`),
          ]
          const seed = `http://127.0.0.1:${port}/`
          const result = await runErace([
            ...['crawl', seed, '--allow-net', '127.0.0.0/8', '--json', '-q', ...options, ...way.options],
          ])
          const { seconds, stored } = JSON.parse(result) as { seconds: number; stored: number }
          if (stored !== expected)
            throw new AppError('internal', `${way.name}, ${what}: ${stored} versions, not ${expected}`)
          const stats = await origin.call('stats')
          process.stderr.write(`${way.name}, ${what}: ${seconds} s, ${stats.bytes} bytes\n`)
          checks.push({ way: way.name, what, seconds, stats, stored })
        }
        await publish(2 * n)
        await check('first crawl', pages + 1)
        await publish(2 * n + 1)
        await check('parts changed', pages)
        await check('nothing changed', 0)
      }
    } finally {
      await origin.end()
    }
    return tableOf(checks, [
      `${pages} pages of ${pageBytes} bytes with two volatile parts each; ${latencyMs} ms and ${bytesPerSecond} bytes/s for each answer, ${perHost} connections`,
      'bytes are those of bodies; pages have ETags, so those that did not change cost no body without tables either',
    ])
  })
}

function writePages(folder: string, pages: number, bytes: number, round: number, seed: number): void {
  const random: Random = createRandom(seed)
  const names = Array.from({ length: pages }, (_, n) => `p${n}.html`)
  const links = names.map((name) => `<a href="${name}">${name}</a>`).join('\n')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>All</title>${links}\n`)
  for (const [n, name] of names.entries()) {
    const price = `<span class="vol" id="price">${(n % 90) + 10 + round} €</span>`
    const time = `<span class="vol" id="time">12:${String(round).padStart(2, '0')}</span>`
    const text = fillerOf(bytes, random)
    writeFileSync(
      join(folder, name),
      `<!doctype html><title>Item ${n}</title><p>Price ${price} at ${time}</p><p>${text}</p>\n`,
    )
  }
}

function tableOf(checks: readonly Check[], notes: string[]): BenchTable {
  const rows = checks.map(({ way, what, seconds, stats, stored }) => [
    ...[what, way, seconds, stats.requests, stats.bytes, stored],
  ])
  const of = (way: string, what: string): Check => checks.find((check) => check.way === way && check.what === what)!
  const [plain, tables] = [of('pages', 'parts changed'), of('tables', 'parts changed')]
  const stats = {
    bytesRatio: tables.stats.bytes / plain.stats.bytes,
    secondsRatio: tables.seconds / plain.seconds,
    unchangedSecondsRatio: of('tables', 'nothing changed').seconds / of('pages', 'nothing changed').seconds,
  }
  return {
    name: 'volatile',
    columns: ['check', 'by', 'seconds', 'requests', 'bytes', 'new versions'],
    rows,
    stats,
    notes,
  }
}
