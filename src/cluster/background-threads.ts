import type { Logger } from 'pino'
import type { Annotator } from '../app/threads/annotator.ts'
import { type ClusterIndexer, startClusterIndexer } from '../app/threads/indexer.ts'
import { startPostgresAnnotator } from '../app/threads/postgres-annotator.ts'
import type { Config } from '../config/config.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import type { EpochMemory } from '../store/contracts/held-epochs.ts'

export type HelpersOptions = {
  address: string
  config: Config
  /** Seen in pg_stat_activity. */
  name: string
  seed: readonly [number, number]
  epochs: EpochMemory
  log: Logger
  onFailed(error: unknown): void
}

/** The threads of a worker that come after the crawl: what is new is annotated and indexed. */
export type Helpers = {
  /** They begin once: until shards are at work there is nothing for them. */
  start(): void
  /** What the annotation did since it began. */
  counts(): { tasks: number; annotations: number; refused: number }
  /** How late it is by the database's clock. */
  tellTime(clock: Clock): void
  /** The task in hand is settled. */
  end(): Promise<void>
}

export function createHelpers({ address, config, name, seed, epochs, log, onFailed }: HelpersOptions): Helpers {
  const clockOffsetMs = new SharedArrayBuffer(8)
  const done = { tasks: 0, annotations: 0, refused: 0 }
  let annotator: Annotator | null = null
  let indexer: ClusterIndexer | null = null

  const events = {
    onAnnotated(ids: readonly number[]) {
      done.annotations += ids.length
    },
    onSettled() {
      done.tasks++
    },
    onRefused() {
      done.refused++
    },
    onProblem: (message: string, fields: Record<string, unknown>) => log.warn(fields, message),
  }

  return {
    start() {
      if (annotator !== null) return
      annotator = startPostgresAnnotator({ address, config, name, seed, epochs, clockOffsetMs }, events)
      indexer = config.search.index ? startClusterIndexer({ address, config, log }) : null
      for (const part of [annotator, indexer]) part?.failed.catch(onFailed)
    },
    counts: () => done,
    tellTime(clock) {
      new Float64Array(clockOffsetMs)[0] = clock.now() - systemClock.now()
    },
    async end() {
      await Promise.all([annotator?.end(), indexer?.end()])
    },
  }
}
