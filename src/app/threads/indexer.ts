import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Retries, Waiting } from '../../core/work/retries.ts'
import { startThread } from '../../core/work/thread-host.ts'
import type { ObjectsConfig } from '../engines/object-backends.ts'

export type ClusterIndexer = {
  /** Leaves work in progress for the next indexer. */
  end(): Promise<void>
  /** Rejects with an error that retrying can't fix. If the database is away, the indexer waits for it. */
  readonly failed: Promise<never>
}

export type ClusterIndexerOptions = { address: string; config: Config; log: Logger; retries: Retries }

export type IndexerData = {
  address: string
  holder: string
  leaseMs: number
  objects: ObjectsConfig
  orders: Int32Array<SharedArrayBuffer>
}

export type FromIndexer = { kind: 'waiting'; waiting: readonly Waiting[] } | { kind: 'added'; count: number }

/** Indexes of the orders in shared memory. */
export const indexerOrders = { end: 0 } as const

/** A hanging statement needn't keep the process alive: it takes effect in full or not at all. */
const MAX_ENDING_MS = 3_000

/** Adds new versions of a shared store to the full-text index, in a thread of the lowest priority. */
export function startClusterIndexer({ address, config, log, retries }: ClusterIndexerOptions): ClusterIndexer {
  const orders = new Int32Array(new SharedArrayBuffer(4))
  const holder = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`
  const data: IndexerData = { address, holder, leaseMs: config.cluster.leaseMs, objects: config, orders }
  const thread = startThread<'wake', FromIndexer, IndexerData>(new URL('./indexer-thread.ts', import.meta.url), {
    data,
    onEvent(event) {
      if (event.kind === 'added') log.debug({ versions: event.count }, 'full text indexed')
      else retries.adopt('indexer', event.waiting)
    },
  })
  void thread.exited.then(() => retries.adopt('indexer', []))
  return {
    failed: thread.failed,
    async end() {
      thread.expectEnd()
      Atomics.store(orders, indexerOrders.end, 1)
      thread.post('wake')
      const timer = setTimeout(() => void thread.terminate(), MAX_ENDING_MS)
      await thread.exited
      clearTimeout(timer)
    },
  }
}
