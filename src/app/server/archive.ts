import type { Config } from '../../config/config.ts'
import { startThread } from '../../core/work/thread-host.ts'
import {
  type ArchiveLimits,
  type ArchiveService,
  createArchiveService,
} from '../../services/archive/archive-service.ts'
import type { ToArchive } from '../../services/archive/archive-thread.ts'

/** A data folder, or the store of a cluster. */
export type ArchiveTarget = { folder: string } | { address: string }

export type ReaderData = { target: ArchiveTarget; config: Config }

/** Enough for the largest body and everything made of it; more ends the thread, not the process. */
const MAX_HEAP_MB = 768

/** Reads the archive in a thread of its own, which starts with the first request. */
export function startArchive(
  target: ArchiveTarget,
  config: Config,
  limits: Partial<ArchiveLimits> = {},
): ArchiveService {
  const data: ReaderData = { target, config }
  const start = () =>
    startThread<ToArchive, never, ReaderData>(new URL('../threads/reader-thread.ts', import.meta.url), {
      data,
      isBackground: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
  return createArchiveService({ start, limits })
}
