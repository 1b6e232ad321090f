import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { CrawlStore } from '../../store/contracts/crawls.ts'
import { type CrawlReport, crawlReportOf } from './crawl-report.ts'
import { type CrawlRequest, checkCrawl } from './read-crawl.ts'

/** Maximum number of waiting and running crawls; only a few run at a time. */
export const MAX_OPEN_CRAWLS = 20

/** Requests crawls. The process with the scheduler, this one or another, carries them out. */
export type CrawlService = {
  start(request: CrawlRequest, askedBy: string): Promise<CrawlReport>
  /** Throws `not-found` for an unknown one. */
  find(id: number): Promise<CrawlReport>
  /** Newest first. */
  list(limit: number): Promise<CrawlReport[]>
  /** Fetches in flight are still stored. A crawl that is over stays as it is. */
  stop(id: number): Promise<CrawlReport>
}

export type CrawlServiceDeps = { crawls: CrawlStore; config: Pick<Config, 'crawl' | 'network'>; clock: Clock }

export function createCrawlService({ crawls, config, clock }: CrawlServiceDeps): CrawlService {
  async function find(id: number): Promise<CrawlReport> {
    const row = await crawls.find(id)
    if (row === null) throw new AppError('not-found', `no crawl ${id}`)
    return crawlReportOf(row, clock.now())
  }

  return {
    async start(request, askedBy) {
      checkCrawl(request, config)
      const id = await crawls.add({ ...request, askedBy, askedAt: clock.now() }, MAX_OPEN_CRAWLS)
      if (id === null)
        throw new AppError(
          'too-many-crawls',
          `${MAX_OPEN_CRAWLS} crawls wait or run; stop one or wait until one is over`,
        )
      return find(id)
    },
    find,
    async list(limit) {
      const rows = await crawls.list({ before: Number.MAX_SAFE_INTEGER, limit })
      return rows.map((row) => crawlReportOf(row, clock.now()))
    },
    async stop(id) {
      await crawls.askStop(id)
      return find(id)
    },
  }
}
