import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import { type BenchChild, startChild } from './deliver/child.ts'
import type { World } from './mapping/world.ts'
import { type Measured, measureCommand, withFolder } from './measure.ts'
import { type Benchmark, type BenchOptions, numbersOf } from './table.ts'

export const optionNames = ['mapped-hosts', 'delay', 'fetchers', 'threads', 'rounds']

type Round = { delayMs: number; measured: Measured; result: CrawlResult; questions: number }

/**
 * Many hosts with one page each, so that every page needs a DNS look-up: crawled with a name server that answers at once and with a slow
 * one. If no fetcher waits for DNS, both take equally long.
 */
export const run: Benchmark = async ({ values }: BenchOptions) => {
  const number = numbersOf(values)
  const hosts = number('mapped-hosts', 10_000)
  const delay = number('delay', 30)
  const settings = { fetchers: number('fetchers', 16), threads: number('threads', 2) }
  const world = startChild<World>(new URL('./mapping/world.ts', import.meta.url))
  const best = new Map<number, Round>()
  try {
    await crawlOnce(world, 10, 0, settings) // warm-up: compiles the modules
    for (let round = 0; round < number('rounds', 3); round++)
      for (const delayMs of [0, delay]) {
        const outcome = await crawlOnce(world, hosts, delayMs, settings)
        const known = best.get(delayMs)
        if (known === undefined || outcome.result.seconds < known.result.seconds) best.set(delayMs, outcome)
      }
  } finally {
    await world.end()
  }
  const [quick, slow] = [best.get(0)!, best.get(delay)!]
  return {
    name: 'mapping',
    columns: ['name server', 'pages', 'seconds', 'pages/s', 'questions', 'waited for names (ms)', 'CPU s'],
    rows: [quick, slow].map(({ delayMs, result, measured, questions }) => [
      `answers after ${delayMs} ms`,
      ...[result.fetched, result.seconds, result.perSecond, questions, result.details.names.waitedMs],
      measured.cpuSeconds,
    ]),
    stats: {
      [`rate with names of ${delay} ms, of that with names at once`]: slow.result.perSecond / quick.result.perSecond,
      'ms that a fetcher waited for names, per page': slow.result.details.names.waitedMs / slow.result.fetched,
    },
    notes: [
      `${hosts} hosts with a page each, ${settings.fetchers} fetchers; looked up by them, the names alone would take ${(hosts * delay) / settings.fetchers / 1000} s`,
    ],
  }
}

type Settings = { fetchers: number; threads: number }

function crawlOnce(world: BenchChild<World>, hosts: number, delayMs: number, settings: Settings): Promise<Round> {
  return withFolder(async (folder) => {
    const { port, nameserver } = await world.call('begin', { delayMs })
    const seeds = join(folder, 'seeds')
    writeFileSync(seeds, Array.from({ length: hosts }, (_, n) => `http://h${n}.example:${port}/`).join('\n'))
    const config = join(folder, 'erace.config.json')
    writeFileSync(config, JSON.stringify({ network: { nameservers: [nameserver], allow: ['127.0.0.0/8'] } }))
    const options = { data: join(folder, 'data'), config, delay: 0, ...settings }
    const measured = await measureCommand({
      program: process.execPath,
      args: [
        ...[fileURLToPath(new URL('../src/main.ts', import.meta.url)), 'crawl', `@${seeds}`, '--json', '--quiet'],
        ...[
          '--no-robots',
          '--depth',
          '0',
          ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]),
        ],
      ],
      cwd: folder,
    })
    const { questions } = await world.call('counts')
    return { delayMs, measured, result: JSON.parse(measured.stdout) as CrawlResult, questions }
  })
}
