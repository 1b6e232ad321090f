import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { AppError } from '../src/core/errors.ts'
import type { NodeReport } from '../src/store/contracts/cluster/nodes.ts'
import { createPostgresNodes } from '../src/store/postgres/cluster/nodes.ts'
import { openPool } from '../src/store/postgres/connection/pool.ts'
import { processorSeconds } from './measure.ts'
import type { Origin } from './origin/start.ts'

const program = fileURLToPath(new URL('../bin/erace.js', import.meta.url))

type FleetOptions = {
  store: string
  origin: Origin
  workers: number
  threads: number
  fetchers: number
  perHost: number
  /** Further settings of all processes. */
  settings?: Readonly<Record<string, string>>
}

/** The processes of one crawl: the command that starts it, which is also a worker, and further workers. */
type Fleet = {
  /** Resolves when all of them hold partitions. */
  joined(): Promise<void>
  /** Resolves with the result of the crawl. */
  readonly ended: Promise<Record<string, unknown>>
  nodes(): Promise<NodeReport[]>
  /** CPU time of all processes so far. */
  cpuSeconds(): number
  stop(): Promise<void>
}

export function startFleet({ store, origin, workers, threads, fetchers, perHost, settings }: FleetOptions): Fleet {
  const pool = openPool({ address: store, maxConnections: 1, name: 'bench' })
  const nodes = createPostgresNodes(pool)
  const size = ['--threads', `${threads}`, '--fetchers', `${fetchers}`]
  const scope = `^http://127\\.0\\.\\d+\\.\\d+:${origin.port}/`
  const env = {
    ...process.env,
    ERACE_STORE: store,
    ERACE_SEARCH_INDEX: 'false',
    ERACE_CRAWL_DELAY: '0',
    ERACE_CRAWL_DELAYFACTOR: '0',
    ERACE_CRAWL_PERHOST: `${perHost}`,
    ERACE_NETWORK_ALLOW: '127.0.0.0/8',
    ...settings,
  }
  const start = (...args: string[]) =>
    spawn(process.execPath, [program, ...args, ...size], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const others = Array.from({ length: workers - 1 }, (_, n) => start('worker', '--name', `worker-${n + 1}`, '--quiet'))
  const crawl = start('crawl', ...origin.seeds, '--json', '--quiet', '--restrict', scope)
  const all = [crawl, ...others]
  const ends = new Map(all.map((child) => [child, once(child, 'close')]))
  let output = ''
  crawl.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  for (const { stdout } of others) stdout.resume()
  const ended = ends.get(crawl)!.then(([code]) => {
    if (code !== 0) throw new AppError('internal', `the crawl ended with ${code}: ${output.slice(-1000)}`)
    return JSON.parse(output) as Record<string, unknown>
  })
  ended.catch(() => {}) // reported to those that await it

  return {
    ended,
    async joined() {
      for (;;) {
        const there = (await nodes.list().catch(() => [])).filter(({ partitions }) => partitions > 0)
        const held = there.reduce((sum, { partitions }) => sum + partitions, 0)
        const least = Math.min(...there.map(({ partitions }) => partitions))
        if (there.length === workers && held > 250 && least >= Math.floor(256 / workers) - workers * threads) return
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    nodes: nodes.list,
    cpuSeconds: () => all.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : processorSeconds(pid)), 0),
    async stop() {
      for (const child of all) child.kill('SIGTERM')
      const limit = setTimeout(() => all.map((child) => child.kill('SIGKILL')), 20_000)
      for (const end of ends.values()) await end
      clearTimeout(limit)
      await pool.close()
    },
  }
}
