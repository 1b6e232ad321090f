import { Worker } from 'node:worker_threads'
import type { Config } from './config/config.ts'
import { type ArchiveLimits, type ArchiveService, createArchiveService } from './services/archive/archive-service.ts'

export type ReaderData = { folder: string; config: Config }

/** For the largest of bodies with all that is made of it; what needs more ends the thread, not the program. */
const MAX_HEAP_MB = 768

/** The archive of a data folder on the embedded store, read in a thread of its own, which is started with the first request. */
export function startArchive(folder: string, config: Config, limits: Partial<ArchiveLimits> = {}): ArchiveService {
  const data: ReaderData = { folder, config }
  const start = () =>
    new Worker(new URL('./main-reader.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
  return createArchiveService({ start, limits })
}
