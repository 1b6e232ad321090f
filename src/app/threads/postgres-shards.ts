import type { Logger } from 'pino'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import type { CrawlDetails } from '../../core/reports/crawl-report.ts'
import { createWhileAlive, firstFailure } from '../../core/work/race.ts'
import type { Retries } from '../../core/work/retries.ts'
import type { CounterMemory } from '../../crawl/worker/shared-counters.ts'
import type { EpochMemory } from '../../store/contracts/cluster/held-epochs.ts'
import type { Modules } from './module-use.ts'
import type { PostgresShardData } from './postgres-shard-thread.ts'
import { connectShards, startShardThread } from './shard-threads.ts'

export type PostgresShardsOptions = {
  /** postgres://… */
  address: string
  settings: CrawlSettings
  /** Unique per process. */
  node: string
  /** Display name. */
  name: string
  shards: number
  run: number
  /** Whether documents may already be known. */
  looksBack: boolean
  seed: readonly [number, number]
  memory: CounterMemory
  /** Where the threads write which partitions they hold. */
  epochs: EpochMemory
  modules?: Modules | null
  log: Logger
  retries: Retries
}

/**
 * The shard threads of one worker. Their leases decide which hosts they crawl. Losing the database isn't a failure: they wait for it, and
 * other workers take over their partitions meanwhile.
 */
export type PostgresShards = {
  /** Resolves when every shard has asked for its partitions. */
  start(): Promise<void>
  seed(urls: readonly string[]): Promise<void>
  /** Hands over all partitions and takes none, or takes its share again. */
  drain(draining: boolean): void
  /** Finishes requests in flight, commits them and hands over. */
  stop(): Promise<CrawlDetails[]>
  /** Ends the threads; without a prior `stop`, as if they were killed. */
  end(): Promise<void>
  /** Rejects with an error that retrying can't fix. */
  readonly failed: Promise<never>
}

export function startPostgresShards(options: PostgresShardsOptions): PostgresShards {
  const { log, retries, modules, ...shared } = options
  const entry = new URL('./postgres-shard-thread.ts', import.meta.url)
  const readers = connectShards(options.shards)
  const started = Array.from({ length: options.shards }, (_, index) => {
    const connected = modules?.connect() ?? null
    const data: PostgresShardData = { ...shared, index, modules: connected, readers: readers[index]! }
    const ports = [...readers[index]!, connected?.port ?? null].filter((port) => port !== null)
    return startShardThread(entry).open(data, { log, retries }, ports)
  })
  const shards = started.map(({ shard }) => shard)
  const failed = firstFailure(shards.map((shard) => shard.failed))
  const whileAlive = createWhileAlive(failed)
  let isStopped = false
  let hasFailed = false
  failed.catch(() => {
    hasFailed = true
  })
  return {
    failed,
    async start() {
      await whileAlive(Promise.all(shards.map((shard) => shard.start())))
    },
    seed: (urls) => whileAlive(shards[0]!.seed(urls)),
    drain(draining) {
      for (const shard of shards) shard.drain(draining).catch(() => {})
    },
    async stop() {
      const details = await whileAlive(Promise.all(shards.map((shard) => shard.stop())))
      isStopped = true
      return details
    },
    async end() {
      if (isStopped && !hasFailed)
        await whileAlive(Promise.all(shards.map((shard) => shard.close()))).catch((error: unknown) => {
          // A shard that failed can't be closed, only ended.
          if (!hasFailed) throw error
        })
      await Promise.all(started.map(({ thread }) => thread.terminate()))
    },
  }
}
