import { crawlLong } from './long/crawl.ts'
import { watchLong } from './long/watch.ts'
import { type BenchOptions, type BenchTable, chosenOf, numbersOf } from './table.ts'

export const optionNames = [
  'only',
  ...['pages', 'hosts', 'page-bytes', 'links', 'seed', 'latency-ms', 'fetchers', 'per-host', 'threads', 'samples'],
  ...['sources', 'source-hosts', 'changes-per-hour', 'hours', 'every-hours', 'speed'],
]

/** Whether speed and memory stay constant during a crawl fifty times as long as in other benchmarks, and during a day of watching. */
export async function run({ values }: BenchOptions): Promise<BenchTable[]> {
  const number = numbersOf(values)
  const only = chosenOf('only', values.only, ['crawl', 'watch'])
  const tables: BenchTable[] = []
  if (only.includes('crawl'))
    tables.push(
      await crawlLong({
        pages: number('pages', 1_000_000),
        hosts: number('hosts', 10_000),
        pageBytes: number('page-bytes', 8000),
        links: number('links', 40),
        seed: number('seed', 1),
        latencyMs: values['latency-ms'] === undefined ? 0 : number('latency-ms', 1),
        fetchers: number('fetchers', 128),
        perHost: number('per-host', 8),
        threads: number('threads', 2),
        samples: number('samples', 20),
      }),
    )
  if (only.includes('watch'))
    tables.push(
      await watchLong({
        sources: number('sources', 100_000),
        hosts: number('source-hosts', 10_000),
        changesPerHour: number('changes-per-hour', 50),
        hours: number('hours', 24),
        everyHours: number('every-hours', 4),
        speed: number('speed', 120),
      }),
    )
  return tables
}
