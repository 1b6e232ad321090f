import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import type { EpochMemory } from '../../store/contracts/held-epochs.ts'
import { type Annotator, type AnnotatorEvents, type AnnotatorOrders, startProcessors } from './annotator.ts'

export type PostgresAnnotatorOptions = {
  address: string
  config: Config
  /** Seen in pg_stat_activity. */
  name: string
  seed: readonly [number, number]
  /** Under which the shards of this process hold their partitions: whose tasks are taken. */
  epochs: EpochMemory
  /** How far the database's clock is ahead, as one number: written by whoever compares them. */
  clockOffsetMs: SharedArrayBuffer
}

export type PostgresAnnotatorData = PostgresAnnotatorOptions & { orders: AnnotatorOrders; part: number; parts: number }

/** The filtering processors of one process of a cluster. */
export function startPostgresAnnotator(options: PostgresAnnotatorOptions, events: AnnotatorEvents): Annotator {
  const parts = options.config.annotate.processors
  return startProcessors(parts, events, (part, orders) => {
    const data: PostgresAnnotatorData = { ...options, orders, part, parts }
    return new Worker(new URL('./postgres-annotator-thread.ts', import.meta.url), { workerData: data })
  })
}
