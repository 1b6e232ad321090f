import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { warcinfoRecord } from '../../archive/warc/record-writer.ts'
import { isWholeRecord } from '../../archive/warc/whole-record.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { version } from '../../config/version.ts'
import type { WatchNews } from '../../core/check-order.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { assembleShard } from '../../crawl/worker/assemble.ts'
import type { FromShard, ToShard } from '../../crawl/worker/messages.ts'
import { type BoardMemory, openBoard } from '../../crawl/worker/shared-counters.ts'
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
  memory: BoardMemory
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
  const board = openBoard(memory)
  const figures = board.shard(index)
  let before = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    figures.set('busy', performance.eventLoopUtilization(now, before).utilization)
    before = now
  }, 200).unref()
  const place = {
    index,
    shards,
    run,
    looksBack: looksBack || store.recovered,
    seed,
    store: store.frontier,
    documents: store.documents,
    board,
    clock: systemClock,
    log: (level: 'debug' | 'info' | 'warn', message: string, fields = {}) =>
      tell({ kind: 'log', level, message, fields }),
    keptText: createKeptText(settings.folder),
    onNews: (news: readonly WatchNews[]) => tell({ kind: 'news', news }),
  }
  const parts = await assembleShard(settings, place)
  parts.shard.failed.catch(tellFailure)
  return { store, ...parts }
}

let opened: ReturnType<typeof open> | null = null

async function obey(order: ToShard): Promise<void> {
  opened ??= open()
  const { shard, store, fetcher, tally, offerSeeds, offerErrands, watches } = await opened
  switch (order.kind) {
    case 'queued':
      return tell({ kind: 'done', id: order.id, watches: await store.frontier.watches() })
    case 'start':
      await shard.start()
      return tell({ kind: 'done', id: order.id })
    case 'reach':
      for (const reach of order.reaches) watches.set(reach)
      return tell({ kind: 'done', id: order.id })
    case 'errands':
      return tell({ kind: 'done', id: order.id, watches: await offerErrands(order.orders) })
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
      return tell({ kind: 'done', id: order.id, details: tally.details() })
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
