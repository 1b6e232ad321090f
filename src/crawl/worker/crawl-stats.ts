import type { ErrorCode } from '../../core/errors.ts'
import { type CrawlDetails, FAILED_KEPT } from '../../core/reports/crawl-report.ts'

/** Counts by name for the final report; bounded, since names come from outside. */
export type CrawlStats = {
  status(code: number): void
  type(mediaType: string): void
  failure(code: ErrorCode, times?: number): void
  failedUrl(url: string, reason: ErrorCode): void
  hostTime(host: string, ms: number): void
  hostRests(host: string, failures: number): void
  hostGivenUp(host: string, dropped: number): void
  nameResolved(isFound: boolean): void
  /** A request waited for a host name. */
  nameWait(ms: number): void
  details(): CrawlDetails
}

const MAX_NAMES = 1000

export function createCrawlStats(): CrawlStats {
  const statuses = new Map<string, number>()
  const types = new Map<string, number>()
  const failures = new Map<ErrorCode, number>()
  const hosts = new Map<string, { fetches: number; totalMs: number }>()
  const resting = new Map<string, number>()
  const givenUp = new Map<string, number>()
  const names: CrawlDetails['names'] = { resolved: 0, failed: 0, waitedMs: 0 }
  const failedUrls: CrawlDetails['failedUrls'] = []
  return {
    status: (code) => count(statuses, String(code)),
    type: (mediaType) => count(types, mediaType),
    failure: (code, times = 1) => count(failures, code, times),
    failedUrl(url, reason) {
      if (failedUrls.length < FAILED_KEPT) failedUrls.push({ url, reason })
    },
    hostTime(host, ms) {
      const known = hosts.get(host)
      if (known !== undefined) {
        known.fetches++
        known.totalMs += ms
      } else if (hosts.size < MAX_NAMES) hosts.set(host, { fetches: 1, totalMs: ms })
    },
    hostRests(host, failures) {
      if (resting.has(host) || resting.size < MAX_NAMES) resting.set(host, failures)
    },
    hostGivenUp(host, dropped) {
      resting.delete(host)
      if (givenUp.has(host) || givenUp.size < MAX_NAMES) givenUp.set(host, (givenUp.get(host) ?? 0) + dropped)
    },
    nameResolved(isFound) {
      if (isFound) names.resolved++
      else names.failed++
    },
    nameWait(ms) {
      names.waitedMs += ms
    },
    details: () => ({
      statusCodes: Object.fromEntries(statuses),
      mediaTypes: Object.fromEntries(types),
      failures: Object.fromEntries(failures),
      slowestHosts: [...hosts].map(([host, { fetches, totalMs }]) => ({ host, fetches, meanMs: totalMs / fetches })),
      restingHosts: [...resting].map(([host, failures]) => ({ host, failures, queued: 0 })),
      givenUpHosts: [...givenUp].map(([host, dropped]) => ({ host, dropped })),
      names: { ...names },
      failedUrls: [...failedUrls],
    }),
  }
}

function count<Name extends string>(into: Map<Name, number>, name: Name, times = 1): void {
  const known = into.get(name)
  if (known !== undefined) into.set(name, known + times)
  else if (into.size < MAX_NAMES) into.set(name, times)
}
