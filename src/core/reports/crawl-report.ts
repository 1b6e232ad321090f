import type { ErrorCode } from '../errors.ts'
import type { ModuleReport } from './module-report.ts'

/** Why a link was not fetched, or a response not read. The names are part of the stable output of `erace crawl --json`. */
export const skipReasons = ['robots', 'scope', 'blocked', 'type', 'length', 'trap', 'address', 'limit'] as const
export type SkipReason = (typeof skipReasons)[number]

/** State of a crawl at one moment. */
export type CrawlSnapshot = {
  fetched: number
  stored: number
  failed: number
  queued: number
  bytes: number
  hostsActive: number
  hostsResting: number
  /** Why the crawl is paused, such as a full disk. */
  paused?: string | undefined
}

/** Result of a crawl. All fields but `details` are part of the stable output of `erace crawl --json`. */
export type CrawlResult = {
  /** Responses read. */
  fetched: number
  /** New versions. */
  stored: number
  unchanged: number
  duplicates: number
  failed: number
  redirects: number
  skipped: Record<SkipReason, number>
  links: number
  seen: number
  queued: number
  bytes: number
  seconds: number
  perSecond: number
  peakRssBytes: number
  /** Nothing is left to fetch. */
  finished: boolean
  interrupted: boolean
  details: CrawlDetails
}

export type CrawlDetails = {
  statusCodes: Record<string, number>
  mediaTypes: Record<string, number>
  failures: Partial<Record<ErrorCode, number>>
  slowestHosts: { host: string; fetches: number; meanMs: number }[]
  restingHosts: { host: string; failures: number; queued: number }[]
  givenUpHosts: { host: string; dropped: number }[]
  /** DNS look-ups: `waitedMs` is the total time that requests waited for them. */
  names: { resolved: number; failed: number; waitedMs: number }
  /** Failures of parts loaded from files, by name. */
  partFaults?: Record<string, number> | undefined
  /** Only for the order `walk`. */
  walk?: WalkReport | undefined
  /** The first ones; see `FAILED_KEPT`. */
  failedUrls: { url: string; reason: ErrorCode }[]
  /** Modules and storages of the process that started the crawl; absent if there are none. */
  modules?: ModuleReport[]
}

/** All steps of a walk so far, including those of interrupted processes. */
export type WalkReport = {
  steps: number
  visits: number
  pages: number
  restarts: number
  deadEnds: number
  top: readonly { url: string; visits: number }[]
}

const SLOWEST_SHOWN = 10
/** `erace export bad-urls` lists them all. */
export const FAILED_KEPT = 100

export function mergeDetails(parts: readonly CrawlDetails[]): CrawlDetails {
  const partFaults = addUp(parts.map((part) => part.partFaults ?? {}))
  // All parts report the same walk; the one with the most steps is the latest.
  const walk = parts.flatMap((part) => part.walk ?? []).sort((a, b) => b.steps - a.steps)[0]
  return {
    statusCodes: addUp(parts.map((part) => part.statusCodes)),
    mediaTypes: addUp(parts.map((part) => part.mediaTypes)),
    failures: addUp(parts.map((part) => part.failures)),
    slowestHosts: parts
      .flatMap((part) => part.slowestHosts)
      .sort((a, b) => b.meanMs - a.meanMs)
      .slice(0, SLOWEST_SHOWN),
    restingHosts: parts.flatMap((part) => part.restingHosts),
    givenUpHosts: parts.flatMap((part) => part.givenUpHosts),
    names: {
      resolved: sum(parts, ({ names }) => names.resolved),
      failed: sum(parts, ({ names }) => names.failed),
      waitedMs: sum(parts, ({ names }) => names.waitedMs),
    },
    failedUrls: parts.flatMap((part) => part.failedUrls).slice(0, FAILED_KEPT),
    ...(walk !== undefined && { walk }),
    ...(Object.keys(partFaults).length > 0 && { partFaults }),
  }
}

export const noDetails: CrawlDetails = mergeDetails([])

function sum<T>(parts: readonly T[], of: (part: T) => number): number {
  return parts.reduce((total, part) => total + of(part), 0)
}

function addUp(records: readonly Record<string, number>[]): Record<string, number> {
  const sum = new Map<string, number>()
  for (const record of records) for (const [name, n] of Object.entries(record)) sum.set(name, (sum.get(name) ?? 0) + n)
  return Object.fromEntries(sum)
}
