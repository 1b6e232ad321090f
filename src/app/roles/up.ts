import type { Logger } from 'pino'
import type { UpHooks } from '../../cli/engine.ts'
import type { Config } from '../../config/config.ts'
import type { CheckResult } from '../../core/check-order.ts'
import { systemClock } from '../../core/clock.ts'
import { createWhileAlive, firstFailure } from '../../core/work/race.ts'
import { describePublicly, type Retries, startRetries } from '../../core/work/retries.ts'
import { settingsForWatching } from '../../crawl/crawl-settings.ts'
import { createPace } from '../../crawl/idle-work.ts'
import { createCounterMemory, createThrottleReasons, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { createLocalFetcher } from '../../fetchers/local/local-fetcher.ts'
import { createCredentialsKey } from '../../services/credentials/credentials-key.ts'
import { createWatching } from '../../services/watching/watching.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { SERVICE } from '../../store/sqlite/folder/lock.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { openDelivery } from '../delivery.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'
import { createEars } from '../listening.ts'
import { loadProtocols, watchableSchemes } from '../protocols.ts'
import { holdRetention } from '../retention.ts'
import { startArchive } from '../server/archive.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { startAnnotator } from '../threads/annotator.ts'
import { createBackground } from '../threads/background.ts'
import { startFolderModules } from '../threads/modules.ts'
import { openForCrawling, startShardThreads } from '../threads/sqlite-shards.ts'

/** No more checks are started while this many versions wait for the annotation engine. */
const MAX_TASKS = 10_000
const INDEX_EVERY_MS = 1000

/** `erace up` on a data folder: scheduler, crawler, annotation engine and server in one process, until it is ended. */
export async function up(folder: string, config: Config, hooks: UpHooks): Promise<void> {
  const { signal, log } = hooks
  await loadProtocols(config)
  const clock = systemClock
  let server: RunningServer | null = null
  let healthError: string | null = null
  const retries = startRetries({ clock, log })
  const fetching = await unlessFailed(startFetching(folder, config, log, retries), retries)
  const { opened, counters, background, threads, modules, throttle, fetcher } = fetching
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const stores = sqliteStores(folder, db)
  createCredentialsKey({ given: config.credentials.key, file: stores.keyFile }).make()
  const archive = startArchive({ folder }, config)
  const address = () => config.server.url || (server?.url ?? '')
  const delivery = await openDelivery({ config, stores, archive, clock, log, address })
  const annotator = startAnnotator(folder, config, {
    onAnnotated(ids) {
      hooks.onAnnotated(ids)
      server?.announce(ids)
      delivery.wake()
    },
    onProblem: (message, fields) => log.warn(fields, message),
    onWaiting: (part, waiting) => retries.adopt(`annotator ${part}`, waiting),
  })
  const { countTasks } = stores.annotations
  const ears = createEars({ config, clock, stores })
  const watching = createWatching({
    ...{ stores, fetcher, config, clock, log, countTasks, maxTasks: MAX_TASKS },
    budgets: { set: counters.setCrawlPages },
    listenTo: ears.listenTo,
  })
  const { service, scheduler } = watching
  const retention = holdRetention({ dataDir: folder, store: null, config }, stores, clock, log)
  const failure = firstFailure([fetcher.failed, annotator.failed, ...(modules === null ? [] : [modules.failed])])
  try {
    await createWhileAlive(failure)(service.start())
    server = await startServer({
      ...{ config, log, stores, scheduler, counters, threads: stores.shards, watching: service, checks: service },
      ...{ archive, sending: delivery.sending, deliveryWatch: delivery.watch, webSub: ears.webSub },
      administrator: hooks.administrator,
      crawlControl: {
        isPaused: async () => throttle.has('paused'),
        pause: async (paused) => throttle.set('paused', paused),
      },
      healthErrors: () => [...describePublicly(retries.waiting()), ...(healthError === null ? [] : [healthError])],
    })
    ears.serving()
    failure.catch((error: Error) => {
      healthError = error.message
    })
    await stores.deliveries.endLeases()
    delivery.start(retries)
    hooks.onListening({ url: server.url, setupUrl: server.setupUrl })
    log.info({ folder, url: server.url }, 'watching')
    let results = 0
    const indexIsDue = createPace(clock, { step: Number.POSITIVE_INFINITY, everyMs: INDEX_EVERY_MS })
    await watching.run({
      ...{ signal, failure },
      onResults() {
        results++
        annotator.wake()
      },
      // New versions are searchable after a second.
      afterTick: () => void (indexIsDue(results) && background.wake()),
    })
    await delivery.end()
    await server.close()
    server = null
    await fetcher.stop()
    await modules?.stop('at-once')
  } finally {
    await delivery.end()
    await server?.close()
    await ears.close()
    await retention.end()
    await annotator.end()
    await threads.end()
    await modules?.end()
    await background.end()
    retries.end()
    await stores.close()
    await opened.close()
  }
}

/** If the start fails, nothing waits for a retry any more, and the process can go on without the service. */
async function unlessFailed<T>(starting: Promise<T>, retries: { end(): void }): Promise<T> {
  try {
    return await starting
  } catch (error) {
    retries.end()
    throw error
  }
}

/** Starts the shard threads of the crawl, and the background work on the archive. */
async function startFetching(folder: string, config: Config, log: Logger, retries: Retries) {
  const settings = await settingsForWatching(folder, config)
  const opened = openForCrawling(settings, log, SERVICE)
  const memory = createCounterMemory(opened.facts.shards, null)
  const counters = openSharedCounters(memory)
  const jobs = { index: config.search.index, compress: config.archive.compress }
  const background = createBackground(folder, jobs, { onWarning: (message) => log.warn(message) })
  const run = (await opened.runs.last())?.id ?? 1
  let deliver: (results: readonly CheckResult[]) => void = () => {}
  // Others may open the folder if this process goes on without the service.
  const modules = await startFolderModules({ folder, config, run: 0, log, retries }).catch(async (error: unknown) => {
    await opened.close()
    throw error
  })
  const threads = startShardThreads({
    ...{ settings, opened, run, looksBack: true, memory, modules, log, retries },
    onFileClosed: () => background.wake(),
    onResults: (results) => deliver(results),
  })
  const throttle = createThrottleReasons(counters)
  const fetcher = createLocalFetcher({
    schemes: watchableSchemes(),
    shards: threads.handles,
    stop: () => counters.stop(),
    throttle: (isBehind) => throttle.set('behind', isBehind),
    onResults(listener) {
      deliver = listener
    },
  })
  return { opened, counters, background, threads, modules, throttle, fetcher }
}
