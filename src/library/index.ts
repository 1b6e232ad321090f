export type { CrawlResult } from '../core/reports/crawl-report.ts'
