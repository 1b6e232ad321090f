import type { UpHooks } from '../../cli/engine.ts'
import type { Config } from '../../config/config.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { omitRulesOf } from '../../config/source-rules.ts'
import { systemClock } from '../../core/clock.ts'
import { createCounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { createThrottleReasons } from '../../crawl/worker/throttle-reasons.ts'
import { createWebProxy, type WebProxy } from '../../fetchers/local/local-fetcher.ts'
import { createAccountLevels } from '../../services/accounts/account-levels.ts'
import { createPolicy } from '../../services/scheduler/policy.ts'
import { budgetsOf, createLevels } from '../../services/scheduler/schedule-settings.ts'
import { createScheduler } from '../../services/scheduler/scheduler.ts'
import { createScheduleLog } from '../../services/watching/schedule-log.ts'
import { runWatchLoop } from '../../services/watching/watch-loop.ts'
import { createWatchService } from '../../services/watching/watch-service.ts'
import { createBackground } from '../../store/sqlite/archive/background.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'
import { startArchive } from '../server/archive.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { startAnnotator } from '../threads/annotator.ts'
import { openForCrawling, startShardThreads } from '../threads/sqlite-shards.ts'

/** Versions that may wait for the annotation engine before no check is begun any more. */
const MAX_TASKS = 10_000
const INDEX_EVERY_MS = 1000

/** `erace up` on the embedded store: scheduler, crawler and annotation engine in one process, until somebody ends it. */
export async function up(folder: string, config: Config, hooks: UpHooks): Promise<void> {
  const { signal, log, onAnnotated } = hooks
  const settings = settingsOf(folder, config)
  const opened = openForCrawling(settings, log)
  const memory = createCounterMemory(opened.facts.shards, null)
  const counters = openSharedCounters(memory)
  const jobs = { index: config.search.index, compress: config.archive.compress }
  const background = createBackground(folder, jobs, { onWarning: (message) => log.warn(message) })
  const run = (await opened.runs.last())?.id ?? 1
  let proxy: WebProxy | null = null
  let server: RunningServer | null = null
  let healthError: string | null = null
  const threads = startShardThreads({
    settings,
    opened,
    run,
    looksBack: true,
    memory,
    log,
    onFileClosed: () => background.wake(),
    onResults: (news) => proxy?.tell(news),
  })
  const holds = createThrottleReasons(counters)
  proxy = createWebProxy({
    shards: threads.handles,
    counters: { stop: counters.stop, hold: (isBehind) => holds.set('behind', isBehind) },
  })
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const stores = sqliteStores(folder, db)
  const { annotations, profiles, watches, accounts } = stores
  const annotator = startAnnotator(folder, config, {
    onAnnotated(ids) {
      onAnnotated(ids)
      server?.announce(ids)
    },
    onProblem: (message, fields) => log.warn(fields, message),
  })
  const { schedule } = config
  const scheduler = createScheduler({
    clock: systemClock,
    policy: createPolicy(schedule.policy, {
      gold: schedule.goldShare,
      silver: schedule.silverShare,
      bronze: schedule.bronzeShare,
    }),
    budgets: budgetsOf(schedule),
    timing: { minEveryMs: schedule.minEveryMs },
  })
  const levels = createAccountLevels({ accounts, otherwise: createLevels(schedule) })
  const service = createWatchService({
    profiles,
    watches,
    proxy,
    scheduler,
    clock: systemClock,
    levelOf: levels.levelOf,
    changedLevels: levels.refresh,
    countTasks: annotations.countTasks,
    maxTasks: MAX_TASKS,
    maxPages: schedule.maxPages,
    onProblem: (message, fields) => log.warn(fields, message),
  })
  const scheduleLog = createScheduleLog({
    clock: systemClock,
    stats: scheduler.stats,
    countTasks: annotations.countTasks,
    write: (fields) => log.info(fields, 'schedule'),
  })
  const failure = Promise.race([proxy.failed, annotator.failed])
  try {
    await Promise.race([service.start(), failure])
    server = await startServer({
      config,
      log,
      stores,
      archive: startArchive({ folder }, config),
      threads: stores.shards,
      watching: service,
      checks: service,
      scheduler,
      administrator: hooks.administrator,
      counters,
      crawlControl: {
        isPaused: async () => holds.has('paused'),
        pause: async (paused) => holds.set('paused', paused),
      },
      healthErrors: () => (healthError === null ? [] : [healthError]),
    })
    failure.catch((error: Error) => {
      healthError = error.message
    })
    hooks.onListening({ url: server.url, setupUrl: server.setupUrl })
    log.info({ folder, url: server.url }, 'watching')
    let isNew = false
    let indexedAt = 0
    await runWatchLoop({
      service,
      scheduleLog,
      clock: systemClock,
      signal,
      failure,
      onResults() {
        annotator.wake()
        isNew = true
      },
      afterTick() {
        // What is new is to be found by a search, too.
        if (!isNew || systemClock.monotonic() - indexedAt <= INDEX_EVERY_MS) return
        isNew = false
        indexedAt = systemClock.monotonic()
        background.wake()
      },
    })
    await server.close()
    server = null
    await proxy.stop()
  } finally {
    await server?.close()
    await annotator.end()
    await threads.end()
    await background.end()
    await stores.close()
    await opened.close()
  }
}

function settingsOf(folder: string, config: Config): CrawlSettings {
  const files = { mimeTypes: null, ignoreTypes: null, blockList: null, hostRules: null }
  return {
    folder,
    config,
    seeds: [],
    depth: null,
    restrict: null,
    maxPages: null,
    omit: omitRulesOf(config.sources),
    files,
  }
}
