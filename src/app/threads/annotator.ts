import type { Config } from '../../config/config.ts'
import {
  createNearDuplicateMemory,
  freeNearDuplicates,
  type NearDuplicateMemory,
} from '../../services/annotating/near-duplicate-lock.ts'
import {
  type Annotator,
  type AnnotatorEvents,
  type ProcessorPlace,
  startProcessors,
} from '../../services/annotating/processor-threads.ts'
import type { EpochMemory } from '../../store/contracts/cluster/held-epochs.ts'

export type AnnotatorData = ProcessorPlace & {
  folder: string
  config: Config
  nearDuplicateMemory: NearDuplicateMemory
}

/** The annotation engine's filtering processors on a data folder, in threads independent of the crawl. */
export function startAnnotator(folder: string, config: Config, events: AnnotatorEvents): Annotator {
  const nearDuplicateMemory = createNearDuplicateMemory()
  const parts = config.annotate.processors
  const entry = new URL('./sqlite-annotator-thread.ts', import.meta.url)
  return startProcessors<AnnotatorData>({
    ...{ entry, parts, events },
    dataOf: (place) => ({ ...place, folder, config, nearDuplicateMemory }),
    onDeath: (part) => freeNearDuplicates(nearDuplicateMemory, part),
  })
}

export type PostgresAnnotatorOptions = {
  address: string
  config: Config
  /** Shown in pg_stat_activity. */
  name: string
  seed: readonly [number, number]
  /** Epochs under which the shards of this process hold their partitions; tasks are taken from these. */
  epochs: EpochMemory
  /** How far the database's clock is ahead: one number, kept up to date by the main thread. */
  clockOffsetMs: SharedArrayBuffer
}

export type PostgresAnnotatorData = PostgresAnnotatorOptions & ProcessorPlace

/** The filtering processors of one process of a cluster. */
export function startPostgresAnnotator(options: PostgresAnnotatorOptions, events: AnnotatorEvents): Annotator {
  const parts = options.config.annotate.processors
  const entry = new URL('./postgres-annotator-thread.ts', import.meta.url)
  return startProcessors<PostgresAnnotatorData>({
    ...{ entry, parts, events },
    dataOf: (place) => ({ ...options, ...place }),
  })
}
