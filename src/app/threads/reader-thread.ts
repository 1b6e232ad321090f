import { parentPort, workerData } from 'node:worker_threads'
import { type OpenArchive, serveArchive } from '../../services/archive/archive-thread.ts'
import type { ReaderData } from '../server/archive.ts'

/** The thread that reads the archive, which stays open between requests. */
serveArchive(parentPort!, () => openArchive(workerData as ReaderData))

/** Only the engine that is needed is loaded. */
async function openArchive({ target, config }: ReaderData): Promise<OpenArchive> {
  if ('address' in target) {
    const { openPostgresArchive } = await import('./postgres-reader.ts')
    return openPostgresArchive(target.address, config)
  }
  const { openSqliteArchive } = await import('./sqlite-reader.ts')
  return openSqliteArchive(target.folder, config)
}
