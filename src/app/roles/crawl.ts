import type { CrawlHooks } from '../../cli/engine.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { systemClock } from '../../core/clock.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import { createWhileAlive } from '../../core/work/race.ts'
import { startRetries } from '../../core/work/retries.ts'
import { runCrawl } from '../../crawl/crawl.ts'
import { checkSettings, shardsOf } from '../../crawl/crawl-settings.ts'
import { createIdleWork } from '../../crawl/idle-work.ts'
import { createCounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { isServed } from '../../store/sqlite/folder/lock.ts'
import { createBackground } from '../threads/background.ts'
import { hasModules, type Modules, withModuleReports } from '../threads/module-use.ts'
import { type ShardsAhead, startShardsAhead } from '../threads/shards-ahead.ts'
import { openForCrawling, type ShardThreads, startShardThreads } from '../threads/sqlite-shards.ts'

/** `erace crawl` on a data folder: one thread per shard, and one of low priority that indexes texts and compresses full files. */
export async function crawl(settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult> {
  checkSettings(settings)
  if (isServed(settings.folder)) return (await import('./crawl-service.ts')).crawlInService(settings, hooks)
  // Their threads take the longest to start: they load their modules while this one opens the folder.
  const ahead = startShardsAhead(shardsOf(settings.config))
  try {
    return await crawlFolder(settings, hooks, ahead)
  } finally {
    ahead.endRest()
  }
}

async function crawlFolder(settings: CrawlSettings, hooks: CrawlHooks, ahead: ShardsAhead): Promise<CrawlResult> {
  const { folder, config } = settings
  const { log, signal } = hooks
  const opened = openForCrawling(settings, log)
  const { shards } = opened.facts
  const jobs = { index: config.search.index, compress: config.archive.compress }
  const background =
    jobs.index || jobs.compress ? createBackground(folder, jobs, { onWarning: (message) => log.warn(message) }) : null
  let threads: ShardThreads | null = null
  let modules: Modules | null = null
  const retries = startRetries({ clock: systemClock, log })
  try {
    const run = await opened.runs.begin(systemClock.now())
    if (run.continued) log.info({ run: run.id }, 'continuing the interrupted crawl')
    const memory = createCounterMemory(shards, settings.maxPages)
    const counters = openSharedCounters(memory)
    const looksBack = run.continued || run.id > 1 || settings.depth !== null
    if (hasModules(config))
      modules = await (await import('../threads/modules.ts')).startFolderModules({
        folder,
        config,
        run: run.id,
        log,
        retries,
      })
    threads = startShardThreads({
      ...{ settings, opened, run: run.id, looksBack, memory, modules, log, retries, ahead },
      onFileClosed: () => jobs.compress && background?.wake(),
    })
    const busyShards = (): number => counters.total('busy')
    const idleWork =
      background === null
        ? () => {}
        : createIdleWork({ background, busyShards, shards, indexes: jobs.index, clock: systemClock })
    // Work that the last crawl left behind.
    if ((jobs.compress && opened.hasClosedFiles) || (jobs.index && looksBack)) background?.wake()
    const crawling = runCrawl({
      ...{ shards: threads.handles, counters, seeds: settings.seeds, clock: systemClock, signal },
      isBehind: hooks.isBehind,
      onProgress(snapshot) {
        idleWork(snapshot.stored)
        hooks.onProgress(snapshot)
      },
      settle: async () => void (await modules?.stop('drain')),
      finish: () => opened.runs.finish(run.id, systemClock.now()),
      track: retries.track('finishing the crawl'),
    })
    if (modules === null) return await crawling
    return await withModuleReports(modules, createWhileAlive(modules.failed)(crawling))
  } finally {
    await threads?.end()
    await modules?.end()
    await background?.end()
    retries.end()
    await opened.close()
  }
}
