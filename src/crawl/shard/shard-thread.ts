import type { Worker } from 'node:worker_threads'
import type { CrawlDetails } from '../../core/crawl-report.ts'
import { AppError } from '../../core/errors.ts'
import type { ShardHandle } from '../crawl.ts'
import type { FromShard, ToShard } from './messages.ts'

type Order = ToShard extends infer Each ? (Each extends { id: number } ? Omit<Each, 'id'> : never) : never

export type ShardThreadListeners = {
  onLog(level: 'debug' | 'info' | 'warn', message: string, fields: Record<string, unknown>): void
  onFileClosed(): void
}

/** A shard in a worker thread, seen from the thread that started it. */
export function createShardThread(worker: Worker, { onLog, onFileClosed }: ShardThreadListeners): ShardHandle {
  const waiting = new Map<number, (details: CrawlDetails | undefined) => void>()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by the crawl
  let lastId = 0
  let closing = false

  worker.on('message', (message: FromShard) => {
    if (message.kind === 'log') onLog(message.level, message.message, message.fields)
    else if (message.kind === 'file-closed') onFileClosed()
    else if (message.kind === 'failed') reject(new AppError(message.code, message.message))
    else {
      waiting.get(message.id)?.(message.details)
      waiting.delete(message.id)
    }
  })
  worker.on('error', reject)
  worker.on('exit', (code) => {
    if (!closing) reject(new AppError('internal', `a crawl thread ended with code ${code}`))
  })

  function order(what: Order): Promise<CrawlDetails | undefined> {
    const id = ++lastId
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      worker.postMessage({ ...what, id })
    })
  }

  return {
    failed,
    async start() {
      await order({ kind: 'start' })
    },
    async seed(urls) {
      await order({ kind: 'seed', urls })
    },
    async stop() {
      return (await order({ kind: 'stop' }))!
    },
    async close() {
      closing = true
      await order({ kind: 'close' })
    },
  }
}
