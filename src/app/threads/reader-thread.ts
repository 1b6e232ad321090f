import { parentPort, workerData } from 'node:worker_threads'
import { type OpenArchive, serveArchive } from '../../services/archive/archive-thread.ts'
import type { ReaderData } from '../server/archive.ts'

/** The thread that reads the archive. What it has opened stays open between requests. */
serveArchive(parentPort!, () => openArchive(workerData as ReaderData))

/** Only the engine that is needed is loaded. */
async function openArchive({ place, config }: ReaderData): Promise<OpenArchive> {
  if ('address' in place) {
    const { openClusterArchive } = await import('./postgres-reader.ts')
    return openClusterArchive(place.address, config)
  }
  const { openEmbeddedArchive } = await import('./sqlite-reader.ts')
  return openEmbeddedArchive(place.folder, config)
}
