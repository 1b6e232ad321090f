import type { CrawlHooks } from '../../cli/engine.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import { runCrawl } from '../../crawl/crawl.ts'
import { checkSettings } from '../../crawl/crawl-settings.ts'
import { createCounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { createBackground } from '../../store/sqlite/archive/background.ts'
import { openForCrawling, type ShardThreads, startShardThreads } from '../threads/sqlite-shards.ts'

/** Shards that have work for more than this part of their time are not to be disturbed. */
const BUSY = 0.5
/** Progress ticks without much work after which there is time for what can wait: about a second. */
const CALM_TICKS = 5
/** The index follows in steps: after so many new versions, or so much time, whichever comes first. */
const INDEX_VERSIONS = 500
const INDEX_MS = 30_000

/** `erace crawl` on the embedded store: a thread for each shard, and one of low priority that indexes texts and compresses full files. */
export async function crawl(settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult> {
  checkSettings(settings)
  const { folder, config } = settings
  const opened = openForCrawling(settings, hooks.log)
  const { shards } = opened.facts
  const jobs = { index: config.search.index, compress: config.archive.compress }
  const background =
    jobs.index || jobs.compress
      ? createBackground(folder, jobs, { onWarning: (message) => hooks.log.warn(message) })
      : null
  let threads: ShardThreads | null = null
  try {
    const run = await opened.runs.begin(systemClock.now())
    if (run.continued) hooks.log.info({ run: run.id }, 'going on with the crawl that was interrupted')
    const memory = createCounterMemory(shards, settings.maxPages)
    const looksBack = run.continued || run.id > 1 || settings.depth !== null
    threads = startShardThreads({
      settings,
      opened,
      run: run.id,
      looksBack,
      memory,
      log: hooks.log,
      onFileClosed: () => jobs.compress && background?.wake(),
    })
    const counters = openSharedCounters(memory)
    let calmTicks = 0
    const indexIsDue = jobs.index ? createPace(systemClock, INDEX_VERSIONS, INDEX_MS) : () => false
    background?.setPaused(true)
    // What the last crawl left over, if anything.
    if ((jobs.compress && opened.hasClosedFiles) || (jobs.index && looksBack)) background?.wake()
    const result = await runCrawl({
      shards: threads.handles,
      counters,
      seeds: settings.seeds,
      clock: systemClock,
      signal: hooks.signal,
      onProgress(snapshot) {
        calmTicks = counters.total('busy') > shards * BUSY ? 0 : calmTicks + 1
        background?.setPaused(calmTicks < CALM_TICKS)
        if (indexIsDue(snapshot.stored)) background?.wake()
        hooks.onProgress(snapshot)
      },
    })
    if (result.finished) await opened.runs.finish(run.id, systemClock.now())
    return result
  } finally {
    await threads?.end()
    await background?.end()
    await opened.close()
  }
}

/** True when a count has grown by so much, or at all in so much time, since it was true last. */
function createPace(clock: Clock, step: number, everyMs: number): (count: number) => boolean {
  let counted = 0
  let at = clock.monotonic()
  return (count) => {
    const now = clock.monotonic()
    if (count === counted || (count - counted < step && now - at < everyMs)) return false
    counted = count
    at = now
    return true
  }
}
