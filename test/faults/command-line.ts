import { parseArgs } from 'node:util'

/** Options of the scripts that kill a crawl again and again, as they stand on the command line. */
export function readKillOptions(): Record<string, number> & { keep: boolean } {
  const number = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      rounds: number,
      pages: number,
      hosts: number,
      fetchers: number,
      threads: number,
      seed: number,
      'latency-ms': number,
      keep: { type: 'boolean' },
    },
  })
  const { 'latency-ms': latencyMs, keep = false, ...numbers } = { ...values }
  const entries = Object.entries({ ...numbers, latencyMs }).filter(([, value]) => value !== undefined)
  const given = Object.fromEntries(entries.map(([name, value]) => [name, Number(value)]))
  return { ...given, keep } as Record<string, number> & { keep: boolean }
}
