import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import {
  type ArchiveLimits,
  type ArchiveService,
  createArchiveService,
} from '../../services/archive/archive-service.ts'

/** A data folder, or the store of a cluster. */
export type ArchiveTarget = { folder: string } | { address: string }

export type ReaderData = { target: ArchiveTarget; config: Config }

/** For the largest of bodies with all that is made of it; what needs more ends the thread, not the program. */
const MAX_HEAP_MB = 768

/** The archive, read in a thread of its own, which is started with the first request. */
export function startArchive(
  target: ArchiveTarget,
  config: Config,
  limits: Partial<ArchiveLimits> = {},
): ArchiveService {
  const data: ReaderData = { target, config }
  const start = () =>
    new Worker(new URL('../threads/reader-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
  return createArchiveService({ start, limits })
}
