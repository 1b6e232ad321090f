import { availableParallelism, hostname } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import type { CheckResult } from '../../core/check-order.ts'
import type { ShardHandle } from '../../crawl/crawl.ts'
import { createShardThread } from '../../crawl/worker/shard-thread.ts'
import type { CounterMemory } from '../../crawl/worker/shared-counters.ts'
import { type DataFolder, openFolder } from '../../store/sqlite/folder/folder.ts'
import type { ShardData } from './sqlite-shard-thread.ts'

/** What a page leaves behind dies young; more room would only make the process larger. */
const YOUNG_GENERATION_MB = 32

export type ShardThreads = { handles: ShardHandle[]; end(): Promise<void> }

export type ShardThreadsOptions = {
  settings: CrawlSettings
  opened: DataFolder
  run: number
  looksBack: boolean
  memory: CounterMemory
  log: Logger
  onFileClosed(): void
  onResults?(results: readonly CheckResult[]): void
}

/** Takes the data folder for writing, with as many shards as the settings say or it was made for. */
export function openForCrawling({ folder, config }: CrawlSettings, log: Logger): DataFolder {
  const threads = config.crawl.threads === 0 ? availableParallelism() : config.crawl.threads
  const opened = openFolder({ folder, holder: `process ${process.pid} on ${hostname()}`, shards: threads })
  const { shards } = opened.facts
  if (shards !== threads && config.crawl.threads !== 0) {
    log.info({ folder, shards }, `this data folder was made for ${shards} threads and is used with as many`)
  }
  return opened
}

/** A worker thread for each shard, on the embedded store. */
export function startShardThreads(options: ShardThreadsOptions): ShardThreads {
  const { settings, opened, run, looksBack, memory, log } = options
  const { shards, seed } = opened.facts
  // Bodies live outside of the heap; with a small heap V8 takes them for a reason to collect all of it every 70 ms.
  setFlagsFromString('--initial-old-space-size=64')
  const workers: Worker[] = []
  const handles = connect(shards).map((ports, index): ShardHandle => {
    const { partitions } = opened
    const data: ShardData = { settings, index, shards, run, looksBack, seed, memory, partitions, ports }
    const worker = new Worker(new URL('./sqlite-shard-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      transferList: ports.filter((port) => port !== null),
    })
    workers.push(worker)
    return createShardThread(worker, {
      onLog: (level, message, fields) => log[level](fields, message),
      onFileClosed: options.onFileClosed,
      ...(options.onResults === undefined ? {} : { onResults: options.onResults }),
    })
  })
  return { handles, end: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))) }
}

/** A channel between every two shards: row n holds the ports of shard n, none to itself. */
function connect(shards: number): (MessagePort | null)[][] {
  const ports: (MessagePort | null)[][] = Array.from({ length: shards }, () => new Array(shards).fill(null))
  for (let a = 0; a < shards; a++) {
    for (let b = a + 1; b < shards; b++) {
      const { port1, port2 } = new MessageChannel()
      ports[a]![b] = port1
      ports[b]![a] = port2
    }
  }
  return ports
}
