import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import type { CrawlDetails } from '../../core/reports/crawl-report.ts'
import { createShardThread } from '../../crawl/worker/shard-thread.ts'
import type { CounterMemory } from '../../crawl/worker/shared-counters.ts'
import type { EpochMemory } from '../../store/contracts/held-epochs.ts'
import type { PostgresShardData } from './postgres-shard-thread.ts'

/** What a page leaves behind dies young; more room would only make the process larger. */
const YOUNG_GENERATION_MB = 32

export type PostgresShardsOptions = {
  /** postgres://… */
  address: string
  settings: CrawlSettings
  /** Different for every process. */
  node: string
  /** What people call it. */
  name: string
  shards: number
  run: number
  /** Whether documents may be known from before. */
  looksBack: boolean
  seed: readonly [number, number]
  memory: CounterMemory
  /** Where the threads write which partitions they hold. */
  epochs: EpochMemory
  log: Logger
}

/**
 * The shard threads of one worker. Which hosts they crawl is up to their leases. Losing the database is no failure: they wait for it, and
 * others have their partitions meanwhile.
 */
export type PostgresShards = {
  /** Resolves when every shard has asked for its partitions. */
  start(): Promise<void>
  seed(urls: readonly string[]): Promise<void>
  /** Hands over everything and takes nothing, until told otherwise. */
  drain(draining: boolean): void
  /** Finishes what is in hand, keeps it and hands over. */
  stop(): Promise<CrawlDetails[]>
  /** Ends the threads; without `stop` before, as if they were killed. */
  end(): Promise<void>
  /** Rejects for what can never work. */
  readonly failed: Promise<never>
}

export function startPostgresShards(options: PostgresShardsOptions): PostgresShards {
  const { log, ...shared } = options
  // Bodies live outside of the heap; with a small heap V8 takes them for a reason to collect all of it every 70 ms.
  setFlagsFromString('--initial-old-space-size=64')
  const workers: Worker[] = []
  const threads = Array.from({ length: options.shards }, (_, index) => {
    const data: PostgresShardData = { ...shared, index }
    const worker = new Worker(new URL('./postgres-shard-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    })
    workers.push(worker)
    return createShardThread(worker, {
      onLog: (level, message, fields) => log[level](fields, message),
      onFileClosed() {},
    })
  })
  const failed = Promise.race(threads.map((thread) => thread.failed))
  failed.catch(() => {}) // whoever asks for it sees it
  const whileAlive = <T>(work: Promise<T>): Promise<T> => Promise.race([work, failed])
  let isStopped = false
  return {
    failed,
    async start() {
      await whileAlive(Promise.all(threads.map((thread) => thread.start())))
    },
    seed: (urls) => whileAlive(threads[0]!.seed(urls)),
    drain(draining) {
      for (const thread of threads) thread.drain(draining).catch(() => {})
    },
    async stop() {
      const details = await whileAlive(Promise.all(threads.map((thread) => thread.stop())))
      isStopped = true
      return details
    },
    async end() {
      if (isStopped) await Promise.race([Promise.all(threads.map((thread) => thread.close())), failed.catch(() => {})])
      for (const thread of threads) thread.leave()
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}
