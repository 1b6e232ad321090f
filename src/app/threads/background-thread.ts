import { hostname } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { updateIndex } from '../../archive/search/index-update.ts'
import { createVersionTexts } from '../../archive/search/version-text.ts'
import { isAppError } from '../../core/errors.ts'
import { lowerThreadPriority } from '../../core/work/process.ts'
import { serveThread } from '../../core/work/thread-host.ts'
import { compressNextFile, hasClosedFile } from '../../store/sqlite/archive/compress.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { lockFolder } from '../../store/sqlite/folder/lock.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { explainDamage, openSearch } from '../../store/sqlite/search/search-index.ts'
import { type BackgroundData, backgroundOrders, type FromBackground } from './background.ts'

/**
 * The thread behind `createBackground`: idle, working, or ended. Each wake-up starts a pass over the jobs in order. A job that fails
 * permanently isn't retried; the others and the crawl continue.
 */
const { folder, jobs, orders } = workerData as BackgroundData
const { send, close } = serveThread<'wake', FromBackground>(parentPort!, () => {
  if (!isEnding()) void pass()
  else if (!isWorking) close()
})

const isEnding = (): boolean => Atomics.load(orders, backgroundOrders.end) === 1

/** Maximum time to hold a lock during a pause. */
const MAX_HELD_PAUSE_MS = 2_000

/** Called before each version and record. On systems without thread priorities, this is what keeps the crawl fast. */
function mustEnd(): boolean {
  Atomics.wait(orders, backgroundOrders.pause, 1)
  return isEnding()
}

/** Reports an error, and returns whether waiting may help. */
function report(job: string, error: unknown): boolean {
  const passes = isAppError(error) && error.retry === 'later'
  const message = `${job}: ${error instanceof Error ? error.message : String(error)}`
  send({ kind: passes ? 'note' : 'warning', message })
  return passes
}

let indexes = jobs.index

async function indexTexts(db: Database): Promise<void> {
  try {
    const versions = createSqliteVersions(db)
    const index = openSearch(folder, versions)
    try {
      const texts = createVersionTexts({ versions, objects: createSqliteObjects(db, paths.archive(folder)) })
      await updateIndex({ index, versions, texts, mustStop: mustEnd, onBatch() {} })
    } finally {
      await index.close()
    }
  } catch (error) {
    indexes = report('indexing', explainDamage(error))
  }
}

/** Files that couldn't be read; each is tried once in the life of this thread. */
const passedOver = new Set<number>()

/**
 * Compresses one file under the lock that backup and collector wait for: a long pause cancels the file, and it is started over
 * afterwards. Returns whether there may be more.
 */
function compressOne(db: Database): boolean {
  let isCalledOff = false
  const mustLetGo = (): boolean => {
    isCalledOff ||= Atomics.wait(orders, backgroundOrders.pause, 1, MAX_HELD_PAUSE_MS) === 'timed-out'
    return isCalledOff || isEnding()
  }
  try {
    const lock = lockFolder(folder, `compression by process ${process.pid} on ${hostname()}`, 0, 'housekeeping')
    try {
      return compressNextFile(db, paths.archive(folder), mustLetGo, passedOver) || isCalledOff
    } finally {
      lock.release()
    }
  } catch (error) {
    const passes = report('compression', error)
    // A full disk, a busy store, a backup that holds the lock: all files are retried the next time.
    if (passes) passedOver.clear()
    return !passes
  }
}

async function work(): Promise<void> {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  try {
    if (indexes) await indexTexts(db)
    for (let more = jobs.compress; more && !mustEnd() && hasClosedFile(db); ) more = compressOne(db)
  } finally {
    db.close()
  }
}

let isWorking = false
let isWanted = false

/** One pass at a time; a wake-up that comes meanwhile starts one more. */
async function pass(): Promise<void> {
  isWanted = true
  if (isWorking) return
  isWorking = true
  while (isWanted && !mustEnd()) {
    isWanted = false
    await work()
  }
  isWorking = false
  send({ kind: 'rest' })
  if (isEnding()) close()
}

if (!lowerThreadPriority()) send({ kind: 'note', message: 'background work runs at normal priority here' })
void pass()
