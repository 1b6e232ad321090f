import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import type { ShardHandle } from '../../crawl/crawl.ts'
import { shardsOf, threadsOf } from '../../crawl/crawl-settings.ts'
import { withSeedHosts } from '../../crawl/seeding.ts'
import { type CounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { type DataFolder, openFolder } from '../../store/sqlite/folder/folder.ts'
import type { Modules } from './module-use.ts'
import { connectShards, type ShardThreadEvents } from './shard-threads.ts'
import { type ShardsAhead, startSqliteShard } from './shards-ahead.ts'
import type { ShardData } from './sqlite-shard-thread.ts'

export type ShardThreads = { handles: ShardHandle[]; end(): Promise<void> }

export type ShardThreadsOptions = ShardThreadEvents & {
  settings: CrawlSettings
  opened: DataFolder
  run: number
  looksBack: boolean
  memory: CounterMemory
  modules?: Modules | null
  /** Threads that were started before the folder was opened. */
  ahead?: ShardsAhead
}

/** Opens the data folder for writing. A new folder gets as many shards as the settings say; an existing one keeps its number. */
export function openForCrawling({ folder, config }: CrawlSettings, log: Logger, purpose = ''): DataFolder {
  const wanted = shardsOf(config)
  const opened = openFolder({
    folder,
    holder: `process ${process.pid} on ${hostname()} ${purpose}`.trim(),
    shards: wanted,
  })
  if (opened.isOpenToOthers)
    log.warn({ folder }, `other users of this machine can read the data folder; close it with: chmod -R go= ${folder}`)
  const { shards } = opened.facts
  if (shards !== wanted && config.crawl.threads !== 0) {
    log.info({ folder, shards }, `this data folder was made for ${shards} crawling threads and is used with as many`)
  }
  return opened
}

/** Starts a worker thread per shard, on the embedded store. */
export function startShardThreads(options: ShardThreadsOptions): ShardThreads {
  const { opened, run, looksBack, memory } = options
  const settings = withSeedHosts(options.settings)
  const counters = openSharedCounters(memory)
  const { shards, seed } = opened.facts
  const readers = connectShards(shards)
  const hasScanThread = threadsOf(settings.config) >= 2 * shards
  const started = connectShards(shards).map((ports, index) => {
    const { partitions } = opened
    const modules = options.modules?.connect() ?? null
    const shared = { settings, index, shards, run, looksBack, seed, memory, partitions, ports, modules, hasScanThread }
    const data: ShardData = { ...shared, readers: readers[index]! }
    const transfer = [...ports, ...readers[index]!, modules?.port ?? null].filter((port) => port !== null)
    return (options.ahead?.take() ?? startSqliteShard()).open(data, options, transfer)
  })
  return {
    handles: started.map(({ shard }, index): ShardHandle => {
      const { crawlScope, forget } = shard
      return {
        ...shard,
        crawlScope(crawlScopes) {
          counters.tell(index)
          return crawlScope(crawlScopes)
        },
        forget(watches) {
          counters.tell(index)
          return forget(watches)
        },
      }
    }),
    end: async () => void (await Promise.all(started.map(({ thread }) => thread.terminate()))),
  }
}
