import type { CrawlHooks } from '../../cli/engine.ts'
import { crawlInCluster, createLeaving, interruptedResult } from '../../cluster/run-monitor.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { systemClock } from '../../core/clock.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import { createWhileAlive, firstFailure } from '../../core/work/race.ts'
import { checkSettings } from '../../crawl/crawl-settings.ts'
import { withModuleReports } from '../threads/module-use.ts'
import { openNode } from './worker.ts'

/** `erace crawl` on a shared store: this process joins as one more worker, and returns when the crawl is over. */
export async function crawl(address: string, settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult> {
  checkSettings(settings)
  const startedAt = systemClock.monotonic()
  const seconds = (): number => (systemClock.monotonic() - startedAt) / 1000
  const opened = await openNode(address, 'crawl', settings, hooks)
  if (opened === null) return interruptedResult(seconds())
  const { node, nodes, runs, clock, stores, retries, modules } = opened
  const leaving = createLeaving(hooks.signal)
  try {
    const crawling = crawlInCluster(
      { ...hooks, node, nodes, runs, clock, retries, seconds, leaving, frontier: stores.frontier },
      settings,
    )
    if (modules === null) return await createWhileAlive(node.failed)(crawling)
    const failure = firstFailure([node.failed, modules.failed])
    return await withModuleReports(modules, createWhileAlive(failure)(crawling))
  } finally {
    await leaving(opened.end())
  }
}
