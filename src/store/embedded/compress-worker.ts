import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { isAppError } from '../../core/errors.ts'
import { compressNextFile } from './compress.ts'
import { compressionOrders } from './compression.ts'
import { openDatabase } from './database.ts'
import { paths } from './folder.ts'
import { catalogMigrations } from './schema-catalog.ts'

/**
 * A thread of the lowest priority that compresses closed archive files, one after the other, when the processor has
 * nothing better to do. It looks again whenever it is told that a file was closed, and ends when it is told to.
 */
const { folder, orders } = workerData as { folder: string; orders: Int32Array<SharedArrayBuffer> }
const port = parentPort!

function stepBack(): void {
  try {
    // On Linux a priority belongs to a thread; elsewhere there is no such place to read and all stays as it is.
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 19)
  } catch {
    port.postMessage({ kind: 'note', message: 'compression runs at normal priority here' })
  }
}

/** Asked before each record. Where priorities of threads mean nothing, this is what keeps the crawl fast. */
function mustEnd(): boolean {
  Atomics.wait(orders, compressionOrders.pause, 1)
  return Atomics.load(orders, compressionOrders.end) === 1
}

function work(): void {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  try {
    while (!mustEnd() && compressNextFile(db, paths.archive(folder), mustEnd));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // A full disk or a busy store: tried again with the next file that is closed.
    port.postMessage({
      kind: isAppError(error) && error.retry === 'later' ? 'note' : 'warning',
      message: `compression: ${message}`,
    })
  } finally {
    db.close()
  }
}

stepBack()
work()
port.on('message', (message: 'closed' | 'end') => {
  if (message === 'end') port.close()
  else work()
})
