import type { CheckOrder, CheckResult, CrawlScope } from '../../core/check-order.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { CrawlDetails } from '../../core/reports/crawl-report.ts'

/** What is said between a crawl and a shard that runs in another thread. Every order is answered with its number. */
export type ToShard = { id: number } & (
  | { kind: 'queued' }
  | { kind: 'start' }
  | { kind: 'seed'; urls: readonly string[] }
  | { kind: 'crawl-scopes'; crawlScopes: readonly CrawlScope[] }
  | { kind: 'checks'; orders: readonly CheckOrder[] }
  | { kind: 'forget'; watches: readonly number[] }
  /** Hands over all partitions and takes none, or takes them again. */
  | { kind: 'drain'; draining: boolean }
  | { kind: 'stop' }
  | { kind: 'close' }
)

export type FromShard =
  | { kind: 'done'; id: number; details?: CrawlDetails; watches?: Map<number, number> }
  | { kind: 'check-results'; results: readonly CheckResult[] }
  | { kind: 'failed'; code: ErrorCode; message: string }
  | { kind: 'log'; level: 'debug' | 'info' | 'warn'; message: string; fields: Record<string, unknown> }
  /** An archive file is full and may be compressed. */
  | { kind: 'file-closed' }
