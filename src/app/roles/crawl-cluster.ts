import { setTimeout as wait } from 'node:timers/promises'
import type { CrawlHooks } from '../../cli/engine.ts'
import { startWorkerNode, type WorkerNode } from '../../cluster/node.ts'
import { createRunWatch, type Ending, resultOf } from '../../cluster/run-monitor.ts'
import { sharedOf } from '../../cluster/run-settings.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import { checkSettings } from '../../crawl/crawl-settings.ts'
import type { JoinedRun } from '../../store/contracts/cluster-runs.ts'

const POLL_MS = 100
const PROGRESS_MS = 200

/**
 * `erace crawl` on a shared store. The process is
 * - a worker like others, from the moment it joined;
 * - waiting for the others to take over the settings of the run: before that, nobody could tell which links belong to it;
 * - seeding;
 * - crawling, with the others, until nothing of the run is queued anywhere, the page limit is reached, or somebody interrupts;
 * - leaving. When the run is finished it waits for the last figures of the others; else they go on without it.
 */
export async function crawl(address: string, settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult> {
  checkSettings(settings)
  const { log, signal } = hooks
  const startedAt = systemClock.monotonic()
  const seconds = (): number => (systemClock.monotonic() - startedAt) / 1000
  const node = await startWorkerNode({ address, own: settings, role: 'crawl', log, signal })
  if (node === null) return resultOf({ ending: 'interrupted', seconds: seconds() })
  try {
    return await Promise.race([crawlAs(node, settings, hooks, seconds), node.failed])
  } finally {
    await node.end()
  }
}

async function crawlAs(
  node: WorkerNode,
  settings: CrawlSettings,
  { log, signal, onProgress }: CrawlHooks,
  seconds: () => number,
): Promise<CrawlResult> {
  const liveMs = settings.config.cluster.leaseMs
  const { runs, clock } = node
  const isInterrupted = (): boolean => signal.aborted
  const run = await untilTold(() => runs.join(node.id, sharedOf(settings), { at: clock.now(), liveMs }), isInterrupted)
  if (run === null) return resultOf({ ending: 'interrupted', seconds: seconds() })
  tellRun(run, log)
  const watch = createRunWatch({ node, run, liveMs })
  await untilTold(watch.begin, isInterrupted)
  node.workerPool.start()
  const progress = setInterval(() => onProgress(watch.snapshot()), PROGRESS_MS)
  try {
    let ending: Ending | null = null
    await untilTold(() => watch.othersFollow((count) => tellWaiting(count, log)), isInterrupted)
    await untilTold(() => watch.seed(settings.seeds), isInterrupted)
    while (ending === null && !isInterrupted()) {
      ending = await untilTold(async () => ({ now: await watch.look() }), isInterrupted).then(
        (seen) => seen?.now ?? null,
      )
      if (ending === null) await wait(POLL_MS, undefined, { signal }).catch(() => {})
    }
    await node.workerPool.end()
    if (ending === 'finished') await untilTold(watch.lastWords, isInterrupted)
    const sums = await watch.sums().catch(() => null) // interrupted while the database was away
    onProgress(watch.snapshot())
    return resultOf({ ending: ending ?? 'interrupted', seconds: seconds(), ...(sums === null ? {} : { sums }) })
  } finally {
    clearInterval(progress)
  }
}

/** Asks until there is an answer; null when nobody waits for it any more. `undefined` stands for: not yet. */
async function untilTold<T>(ask: () => Promise<T | undefined>, isOver: () => boolean): Promise<T | null> {
  for (;;) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      if (!isAppError(error) || error.retry === 'never') throw error
    }
    if (isOver()) return null
    await wait(POLL_MS)
  }
}

function tellRun({ id, continued, others }: JoinedRun, log: CrawlHooks['log']): void {
  if (others) log.info({ run: id }, 'joining the crawl that is under way: its settings hold, the seeds are added')
  else if (continued) log.info({ run: id }, 'going on with the crawl that was interrupted')
}

function tellWaiting(workers: number, log: CrawlHooks['log']): void {
  log.info({ workers }, 'waiting for the other workers: they finish what they have in flight first')
}
