import type { CrawlHooks } from '../../cli/engine.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import { wait } from '../../core/work/retry.ts'
import { handOverCrawl } from '../../services/crawls/hand-over.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { isServed } from '../../store/sqlite/folder/lock.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteCrawls } from '../../store/sqlite/frontier/crawls.ts'

/** `erace crawl` on a data folder where `erace up` runs: that process takes the crawl, through the catalogue that both have open. */
export async function crawlInService(settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult> {
  const { folder, config } = settings
  const { log, signal, onProgress, inService } = hooks
  if (inService.refused.length > 0)
    throw new AppError(
      'usage-wrong',
      `erace up runs in ${folder} and would take this crawl, but it crawls by its own configuration: set ${inService.refused.join(', ')} there, or stop it first`,
    )
  if (inService.ignored.length > 0)
    log.warn({ ignored: inService.ignored }, 'the running service decides on these itself; they are ignored')
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  try {
    return await handOverCrawl(
      settings,
      { crawls: createSqliteCrawls(db), config, clock: systemClock, wait, isServed: () => isServed(folder) },
      {
        ...{ signal, onProgress },
        onHandedOver(id) {
          inService.onHandedOver(id)
          log.info({ crawl: id }, 'handed to the running service')
        },
        onServiceEnded: (id) =>
          log.warn({ crawl: id }, 'the service has ended; it continues the crawl when it is started again'),
      },
    )
  } finally {
    db.close()
  }
}
