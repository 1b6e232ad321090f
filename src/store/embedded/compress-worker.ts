import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { isAppError } from '../../core/errors.ts'
import { compressNextFile } from './compress.ts'
import { compressionOrders } from './compression.ts'
import { type Database, openDatabase } from './database.ts'
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

/** Files that could not be read: once in the life of this thread is enough. */
const passedOver = new Set<number>()

function work(): void {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  try {
    for (let more = true; more && !mustEnd(); ) more = compressOne(db)
  } finally {
    db.close()
  }
}

function compressOne(db: Database): boolean {
  try {
    return compressNextFile(db, paths.archive(folder), mustEnd, passedOver)
  } catch (error) {
    const message = `compression: ${error instanceof Error ? error.message : String(error)}`
    const passes = isAppError(error) && error.retry === 'later'
    port.postMessage({ kind: passes ? 'note' : 'warning', message })
    // A full disk or a busy store: all files are tried again with the next one that is closed.
    if (passes) passedOver.clear()
    return !passes
  }
}

stepBack()
work()
port.on('message', (message: 'closed' | 'end') => {
  if (message === 'end') port.close()
  else work()
})
