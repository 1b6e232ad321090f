import type { Worker } from 'node:worker_threads'
import type { CheckResult } from '../../core/check-order.ts'
import { AppError } from '../../core/errors.ts'
import type { ShardHandle } from '../crawl.ts'
import type { FromShard, ToShard } from './messages.ts'

type Order = ToShard extends infer Each ? (Each extends { id: number } ? Omit<Each, 'id'> : never) : never

export type ShardThreadListeners = {
  onLog(level: 'debug' | 'info' | 'warn', message: string, fields: Record<string, unknown>): void
  onFileClosed(): void
  onResults?(results: readonly CheckResult[]): void
}

type Done = Extract<FromShard, { kind: 'done' }>

export type ShardThread = ShardHandle & {
  drain(draining: boolean): Promise<void>
  /** From now on its end is no failure. */
  leave(): void
}

/** A shard in a worker thread, seen from the thread that started it. */
export function createShardThread(
  worker: Worker,
  { onLog, onFileClosed, onResults }: ShardThreadListeners,
): ShardThread {
  const waiting = new Map<number, (done: Done) => void>()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by the crawl
  let lastId = 0
  let closing = false

  worker.on('message', (message: FromShard) => {
    if (message.kind === 'log') onLog(message.level, message.message, message.fields)
    else if (message.kind === 'file-closed') onFileClosed()
    else if (message.kind === 'check-results') onResults?.(message.results)
    else if (message.kind === 'failed') reject(new AppError(message.code, message.message))
    else {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  worker.on('error', reject)
  worker.on('exit', (code) => {
    if (!closing) reject(new AppError('internal', `a crawl thread ended with code ${code}`))
  })

  function order(what: Order): Promise<Done> {
    const id = ++lastId
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      worker.postMessage({ ...what, id })
    })
  }

  return {
    failed,
    async queued() {
      return (await order({ kind: 'queued' })).watches ?? new Map()
    },
    async start() {
      await order({ kind: 'start' })
    },
    async crawlScope(crawlScopes) {
      await order({ kind: 'crawl-scopes', crawlScopes })
    },
    async checks(orders) {
      return (await order({ kind: 'checks', orders })).watches ?? new Map()
    },
    async forget(watches) {
      await order({ kind: 'forget', watches })
    },
    async seed(urls) {
      await order({ kind: 'seed', urls })
    },
    async drain(draining) {
      await order({ kind: 'drain', draining })
    },
    leave() {
      closing = true
    },
    async stop() {
      return (await order({ kind: 'stop' })).details!
    },
    async close() {
      closing = true
      await order({ kind: 'close' })
    },
  }
}
