import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isWholeRecord } from '../../archive/warc/record-check.ts'
import { warcinfoRecord } from '../../archive/warc/record-writer.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { version } from '../../config/version.ts'
import type { CheckResult } from '../../core/check-order.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { assembleShard } from '../../crawl/worker/assemble.ts'
import type { FromShard, ToShard } from '../../crawl/worker/messages.ts'
import { type CounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { createKeptText } from '../../store/sqlite/documents/kept-text.ts'
import { openShardStore } from '../../store/sqlite/folder/shard-store.ts'

/** One shard in a worker thread, on the embedded store. It does what it is told over its port, one order at a time. */
export type ShardData = {
  settings: CrawlSettings
  index: number
  shards: number
  run: number
  looksBack: boolean
  seed: [number, number]
  memory: CounterMemory
  partitions: SharedArrayBuffer
  ports: (MessagePort | null)[]
}

const { settings, index, shards, run, looksBack, seed, memory, partitions, ports } = workerData as ShardData
const port = parentPort!
const tell = (message: FromShard): void => port.postMessage(message)

function tellFailure(error: unknown): void {
  const code = isAppError(error) ? error.code : 'internal'
  tell({
    kind: 'failed',
    code,
    message:
      error instanceof Error ? (isAppError(error) ? error.message : (error.stack ?? error.message)) : String(error),
  })
}

async function open() {
  const { archive, crawl } = settings.config
  const store = openShardStore({
    folder: settings.folder,
    shard: index,
    shards,
    run,
    partitions,
    ports,
    maxUrlsPerHost: crawl.maxPagesPerHost,
    looksBack,
    maxFileBytes: archive.maxFileBytes,
    now: systemClock.now,
    fileHeader: (filename) =>
      warcinfoRecord({
        filename,
        software: `eRACE/${version}`,
        date: systemClock.now(),
        fields: { 'http-header-user-agent': crawl.userAgent, robots: crawl.respectRobots ? 'obey' : 'ignore' },
      }),
    isWhole: isWholeRecord,
    onClosed: () => tell({ kind: 'file-closed' }),
    onWarning: (message) => tell({ kind: 'log', level: 'warn', message, fields: {} }),
  })
  const counters = openSharedCounters(memory)
  const stats = counters.shard(index)
  let before = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    stats.set('busy', performance.eventLoopUtilization(now, before).utilization)
    before = now
  }, 200).unref()
  const target = {
    index,
    shards,
    run,
    looksBack: looksBack || store.recovered,
    seed,
    store: store.frontier,
    documents: store.documents,
    counters,
    clock: systemClock,
    log: (level: 'debug' | 'info' | 'warn', message: string, fields = {}) =>
      tell({ kind: 'log', level, message, fields }),
    keptText: createKeptText(settings.folder),
    onResults: (results: readonly CheckResult[]) => tell({ kind: 'check-results', results }),
  }
  const parts = await assembleShard(settings, target)
  parts.shard.failed.catch(tellFailure)
  return { store, ...parts }
}

let opened: ReturnType<typeof open> | null = null

async function obey(order: ToShard): Promise<void> {
  opened ??= open()
  const { shard, store, fetcher, crawlStats, offerSeeds, offerChecks, watches } = await opened
  switch (order.kind) {
    case 'queued':
      return tell({ kind: 'done', id: order.id, watches: await store.frontier.watches() })
    case 'start':
      await shard.start()
      return tell({ kind: 'done', id: order.id })
    case 'crawl-scopes':
      for (const crawlScope of order.crawlScopes) watches.set(crawlScope)
      return tell({ kind: 'done', id: order.id })
    case 'checks':
      return tell({ kind: 'done', id: order.id, watches: await offerChecks(order.orders) })
    case 'forget':
      for (const watch of order.watches) watches.remove(watch)
      return tell({ kind: 'done', id: order.id })
    case 'seed':
      await offerSeeds(order.urls)
      return tell({ kind: 'done', id: order.id })
    case 'drain':
      throw new AppError('internal', 'there is nobody whom a shard of this store could hand over to')
    case 'stop':
      await shard.stop()
      return tell({ kind: 'done', id: order.id, details: crawlStats.details() })
    case 'close':
      await fetcher.close()
      await store.close()
      tell({ kind: 'done', id: order.id })
      port.close()
  }
}

port.on('message', (order: ToShard) => {
  obey(order).catch(tellFailure)
})
