import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'

export type ClusterIndexer = {
  /** Leaves what is under way for whoever is next. */
  end(): Promise<void>
  /** Rejects when it can never go on. A database that is away is waited for. */
  readonly failed: Promise<never>
}

export type ClusterIndexerOptions = { address: string; config: Config; log: Logger }

export type IndexerData = {
  address: string
  holder: string
  leaseMs: number
  orders: Int32Array<SharedArrayBuffer>
}

export type FromIndexer = { kind: 'waiting'; reason: string | null } | { kind: 'added'; count: number }

/** Places of the orders in shared memory. */
export const indexerOrders = { end: 0 } as const

/** A statement that hangs need not keep the process: what it writes is written whole or not at all. */
const MAX_ENDING_MS = 3_000

/** Brings new versions of a shared store into the full text index, in a thread of the lowest priority. */
export function startClusterIndexer({ address, config, log }: ClusterIndexerOptions): ClusterIndexer {
  const orders = new Int32Array(new SharedArrayBuffer(4))
  const holder = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`
  const workerData: IndexerData = { address, holder, leaseMs: config.cluster.leaseMs, orders }
  const worker = new Worker(new URL('./indexer-thread.ts', import.meta.url), { workerData })
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by whoever runs the service
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('error', reject)
  worker.on('message', (message: FromIndexer) => {
    if (message.kind === 'added') log.debug({ versions: message.count }, 'full text indexed')
    else if (message.reason === null) log.info('the full text index goes on')
    else log.warn({ error: message.reason }, 'the full text index waits')
  })
  return {
    failed,
    async end() {
      Atomics.store(orders, indexerOrders.end, 1)
      worker.postMessage('end')
      const timer = setTimeout(() => void worker.terminate(), MAX_ENDING_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
