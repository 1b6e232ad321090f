import type { CrawlHooks } from '../../cli/engine.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import { checkSettings, shardsOf } from '../../crawl/crawl-settings.ts'
import { isServed } from '../../store/sqlite/folder/lock.ts'
import { startShardsAhead } from '../threads/shards-ahead.ts'

/** `erace crawl` on a data folder: in this process, or in the service that runs in the folder. */
export async function crawl(settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult> {
  checkSettings(settings)
  if (isServed(settings.folder)) return (await import('./crawl-service.ts')).crawlInService(settings, hooks)
  // Shards take the longest to start. Meanwhile, this thread loads what it needs itself and opens the folder.
  const ahead = startShardsAhead(shardsOf(settings.config))
  try {
    return await (await import('./crawl-folder.ts')).crawlFolder(settings, hooks, ahead)
  } finally {
    ahead.endRest()
  }
}
