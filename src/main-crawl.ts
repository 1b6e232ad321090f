import { availableParallelism, hostname } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { CrawlHooks } from './cli/engine.ts'
import type { CrawlSettings } from './config/crawl-settings.ts'
import { type Clock, systemClock } from './core/clock.ts'
import type { CrawlResult } from './core/crawl-report.ts'
import { createBoardMemory, openBoard } from './crawl/board.ts'
import { runCrawl, type ShardHandle } from './crawl/crawl.ts'
import { checkSettings } from './crawl/settings-check.ts'
import { createShardThread } from './crawl/shard/shard-thread.ts'
import type { ShardData } from './main-shard.ts'
import { createBackground } from './store/embedded/background.ts'
import { openFolder } from './store/embedded/folder.ts'

/** What a page leaves behind dies young; more room would only make the process larger. */
const YOUNG_GENERATION_MB = 32

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
  const threads = config.crawl.threads === 0 ? availableParallelism() : config.crawl.threads
  const opened = openFolder({ folder, holder: `process ${process.pid} on ${hostname()}`, shards: threads })
  const { shards } = opened.facts
  if (shards !== threads && config.crawl.threads !== 0) {
    hooks.log.info({ folder, shards }, `this data folder was made for ${shards} threads and is used with as many`)
  }
  const jobs = { index: config.search.index, compress: config.archive.compress }
  const background =
    jobs.index || jobs.compress
      ? createBackground(folder, jobs, { onWarning: (message) => hooks.log.warn(message) })
      : null
  // Bodies live outside of the heap; with a small heap V8 takes them for a reason to collect all of it every 70 ms.
  setFlagsFromString('--initial-old-space-size=64')
  const workers: Worker[] = []
  try {
    const run = await opened.runs.begin(systemClock.now())
    if (run.continued) hooks.log.info({ run: run.id }, 'going on with the crawl that was interrupted')
    const memory = createBoardMemory(shards, settings.maxPages)
    const looksBack = run.continued || run.id > 1 || settings.depth !== null
    const handles = connect(shards).map((ports, index): ShardHandle => {
      const data: ShardData = {
        settings,
        index,
        shards,
        run: run.id,
        looksBack,
        seed: opened.facts.seed,
        memory,
        partitions: opened.partitions,
        ports,
      }
      const worker = new Worker(new URL('./main-shard.ts', import.meta.url), {
        workerData: data,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
        transferList: ports.filter((port) => port !== null),
      })
      workers.push(worker)
      return createShardThread(worker, {
        onLog: (level, message, fields) => hooks.log[level](fields, message),
        onFileClosed: () => jobs.compress && background?.wake(),
      })
    })
    const board = openBoard(memory)
    let calmTicks = 0
    const indexIsDue = jobs.index ? createPace(systemClock, INDEX_VERSIONS, INDEX_MS) : () => false
    background?.setPaused(true)
    // What the last crawl left over, if anything.
    if ((jobs.compress && opened.hasClosedFiles) || (jobs.index && looksBack)) background?.wake()
    const result = await runCrawl({
      shards: handles,
      board,
      seeds: settings.seeds,
      clock: systemClock,
      signal: hooks.signal,
      onProgress(snapshot) {
        calmTicks = board.total('busy') > shards * BUSY ? 0 : calmTicks + 1
        background?.setPaused(calmTicks < CALM_TICKS)
        if (indexIsDue(snapshot.stored)) background?.wake()
        hooks.onProgress(snapshot)
      },
    })
    if (result.finished) await opened.runs.finish(run.id, systemClock.now())
    return result
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
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

/** A channel between every two shards: row n holds the ports of shard n, none to itself. */
function connect(shards: number): (MessagePort | null)[][] {
  const ports: (MessagePort | null)[][] = Array.from({ length: shards }, () => new Array(shards).fill(null))
  for (let a = 0; a < shards; a++) {
    for (let b = a + 1; b < shards; b++) {
      const { port1, port2 } = new MessageChannel()
      ports[a]![b] = port1
      ports[b]![a] = port2
    }
  }
  return ports
}
