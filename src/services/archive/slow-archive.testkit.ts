import { parentPort } from 'node:worker_threads'
import { AppError } from '../../core/errors.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { serveArchive } from './archive-thread.ts'

/** A thread that acts like the archive, with versions that never arrive, kill the thread, or don't exist. */
let asked = 0

async function versionOf({ owner, id }: { owner: string; id: number }) {
  asked++
  if (id === 1) for (;;);
  if (id === 2) process.exit(3)
  if (id === 3) throw new AppError('not-found', `there is no version ${id}`)
  if (id === 4) throw new AppError('store-failed', '/somewhere/catalog.db: disk I/O error')
  if (id === 5) throw new TypeError('unforeseen')
  if (id === 6) for (let held = {}; ; ) held = { held }
  return { id, title: owner, n: asked }
}

const reader = { version: versionOf } as unknown as ArchiveReader
serveArchive(parentPort!, async () => ({ reader, close: async () => {} }))
