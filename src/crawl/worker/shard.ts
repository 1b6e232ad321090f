import type { Clock } from '../../core/clock.ts'
import type { SkipReason } from '../../core/reports/crawl-report.ts'
import type { Check, Offer } from '../../core/request.ts'
import { originOf } from '../../core/url/url.ts'
import { createAskTogether } from '../../core/work/ask-together.ts'
import { createWhileAlive } from '../../core/work/race.ts'
import type { Retries } from '../../core/work/retries.ts'
import { wait } from '../../core/work/retry.ts'
import type { CaptureOutcome, DocumentStore, KeptPage } from '../../store/contracts/documents.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { Secrets } from '../fetch/secrets.ts'
import { createFrontier, type Frontier } from '../frontier/frontier.ts'
import type { Leases, PartitionLease } from '../frontier/partition-lease.ts'
import type { PolitenessRules } from '../frontier/politeness.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { Walk } from '../order/walk.ts'
import type { Outlet } from '../parts/outlet.ts'
import type { DocumentSet } from '../parts/set-types.ts'
import { createPageTables } from '../tables/page-tables.ts'
import { createSitemapProbe } from '../tables/sitemap-probe.ts'
import type { SitemapOffers } from '../tables/sitemaps.ts'
import type { CrawlStats } from './crawl-stats.ts'
import { createDispatcher, type UnwrittenLimit } from './dispatcher.ts'
import { createHostFailures } from './host-failures.ts'
import type { LinkPipe } from './links/link-pipe.ts'
import { createRepeatedPages } from './links/repeated-pages.ts'
import { createRecorder } from './reading/recorder.ts'
import { createSharedReading, type SharedReadingDeps } from './reading/shared-reading.ts'
import { type Batch, createBatch, type Finished } from './results/batch.ts'
import { notePartResults, noteResult, type Watches } from './results/check-results.ts'
import type { CounterName, ShardStats, SharedCounters } from './shared-counters.ts'
import { createConclude } from './visit/conclude.ts'
import type { ProtocolVisits } from './visit/protocol-visit.ts'
import type { ReadItemsOptions } from './visit/read-items.ts'
import { readResponse } from './visit/read-response.ts'
import type { RobotsGate } from './visit/robots-gate.ts'
import { createVisit } from './visit/visit.ts'
import { createVisitRunner } from './visit/visit-runner.ts'
import { createWalkOn } from './visit/walk-on.ts'

export type ShardDeps = {
  store: FrontierStore
  documents: DocumentStore
  fetcher: Fetcher
  protocols: ProtocolVisits
  secrets: Secrets | null
  gate: RobotsGate | null
  /** Null if tables of hosts are not used. */
  sitemaps: SitemapOffers | null
  pipe: LinkPipe
  counters: SharedCounters
  stats: ShardStats
  crawlStats: CrawlStats
  clock: Clock
  watches: Watches
  /** Null for all orders but `walk`. */
  walk: Walk | null
  documentSet: DocumentSet
  leases: Leases
  checks: CheckChannel
  pages: CrawlPages
  /** Counts requests that are queued or in flight. */
  addOutstanding(requests: number): void
  mapping: Mapping
  /** Why the administrator's lists forbid a URL; null if they don't. */
  refuses(url: string): SkipReason | null
  /** Null if there are no modules. */
  outlet: Outlet | null
  /** Ports to the other shards of the process, for pages that they read. */
  readers: Pick<SharedReadingDeps, 'index' | 'ports'>
  log(level: 'debug' | 'info' | 'warn', message: string, fields?: Record<string, unknown>): void
  retries: Retries
  /** Logs each pause at once: with a local folder as the store, a pause is the only symptom. */
  logsPauses: boolean
}

/** How a shard learns of watches and publishes the results of their checks. */
export type CheckChannel = {
  /** Reads the watch of a check if it is newer than the one known here. */
  learn(check: Check): Promise<void>
  /** Called before requests are marked done: publishes the results that other workers must know by then. */
  beforeCommit(): Promise<void>
  /** Publishes all other results. */
  publish(): void
}

/** Page budgets of the service's crawls, if limited. */
export type CrawlPages = {
  /** False if none is left; some may still be given back. */
  take(watch: number, budget: number): boolean | Promise<boolean>
  /** Returns a page that was not fetched. */
  giveBack(watch: number, budget: number): void
}

export type ShardSettings = {
  rules: PolitenessRules
  perHost: number
  perAddress: number
  keptConnections: number
  fetchers: number
  writing: WritingLimits
  bufferRows: number
  maxAttempts: number
  maxRedirects: number
  maxRepeatedPages: number
  maxCrawlDelayMs: number
  looksBack: boolean
  fullCheckAfter: number
  /** Whether priorities of queued requests may change. */
  rises: boolean
  reading: ReadItemsOptions
  agent: string
  /** Pages of a host after which it is probed for tables; null if tables are not used. */
  probeTablesAfter: number | null
  /** Whether to probe for sitemaps that neither robots.txt nor a page names. */
  searchesSitemaps: boolean
}

/** How results are batched before they are written. */
export type WritingLimits = {
  maxItems: number
  maxWaitMs: number
  /** Added to the wait for each other lease with waiting results. */
  waitMsForEach: number
  /** Number of leases written concurrently. */
  parallel: number
  unwritten: UnwrittenLimit
}

/**
 * A shard crawls the hosts of its leases and shares only counters with the other shards. It is
 * - running: takes requests as long as hosts are ready and fetchers free;
 * - stopping (`stop`): takes no more, waits for requests in flight, commits them;
 * - stopped: all results are in the store.
 * A fetcher is busy from the moment a request is taken until its result is committed, so `fetchers` also bounds what is repeated
 * after a crash. Where writes are slow but cost this thread little, results that wait for them have a limit of their own.
 */
export type Shard = {
  start(): Promise<void>
  /** Keeps reading pages of other shards until `close`. */
  stop(): Promise<void>
  close(): void
  /** Rejects when the store fails permanently. */
  readonly failed: Promise<never>
  /** For moving leases from one worker to another. */
  readonly frontier: Pick<Frontier, 'closeQueues' | 'findHosts'>
  readonly batch: Pick<Batch, 'hurry' | 'commitClocks' | 'persist'>
  /** Called when leases were added or removed. */
  leasesChanged(): void
}

const MAX_HOST_QUEUES = 4096

export function createShard(deps: ShardDeps, settings: ShardSettings): Shard {
  const {
    store,
    documents,
    counters,
    stats,
    crawlStats,
    clock,
    log,
    leases,
    watches,
    checks,
    addOutstanding,
    retries,
    outlet,
  } = deps
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by the caller; until then it must not end the process
  const crawlDelays = new Map<string, number>()
  let pausedBy: string | null = null
  const frontier = createFrontier({
    ...{
      store,
      clock,
      leases,
      mapping: deps.mapping,
      rules: settings.rules,
      perHost: settings.perHost,
      keptConnections: settings.keptConnections,
      rises: settings.rises,
      bufferRows: settings.bufferRows,
    },
    maxHostQueues: MAX_HOST_QUEUES,
    track: retries.track('reading the queue'),
    onError: fail,
  })
  const dispatcher = createDispatcher({
    ...{ frontier, leases, counters, stats, clock, fetchers: settings.fetchers, perAddress: settings.perAddress },
    unwritten: settings.writing.unwritten,
  })
  const batch = createBatch({
    ...{ documents, frontier, store, wait, ...settings.writing, maxBytes: 4 << 20 },
    repeatedPages: createRepeatedPages({ maxLinks: settings.maxRepeatedPages }),
    isCopy: deps.documentSet.isCopy,
    onTrap: (links) => stats.add('skipped.trap', links),
    trackWrite: () => retries.track('writing pages', deps.logsPauses ? { isLogged: true } : {}),
    onOffered: deps.pipe.offered,
    onOutcome(finished, outcome, partOutcomes) {
      const { watch } = finished.request.check
      for (const each of [outcome, ...partOutcomes]) {
        const counter = counterOf(each)
        if (counter === null) continue
        stats.add(counter)
        watches.count(watch, counter)
      }
      if (watch > 0 && partOutcomes.length > 0) notePartResults(watches, finished, partOutcomes)
      if (watch > 0 && !finished.again) noteResult(watches, finished, outcome)
      outlet?.note(finished, outcome, partOutcomes)
      dispatcher.forget(finished.request)
    },
    async beforeCommit() {
      await checks.beforeCommit()
      // Retried like other writes: the modules' spool may be full too.
      if (outlet !== null) await batch.persist(outlet.hand)
    },
    onCommitted(count, { removed, limited, watches: queued }, lease) {
      dispatcher.end(count, lease)
      stats.add('skipped.limit', limited)
      addOutstanding(-removed)
      watches.addQueued(queued)
      checks.publish()
      showCounts()
      dispatcher.dispatch()
    },
    onRefused: refuse,
    // Bytes that waited may be all that kept requests from being started.
    onWritten: () => dispatcher.dispatchSoon(),
    onPause(reason) {
      stats.set('paused', reason === null ? 0 : 1)
      if (reason === pausedBy) return
      pausedBy = reason
      if (deps.logsPauses) {
        if (reason === null) log('info', 'the store takes writes again, the crawl goes on')
        else log('warn', `the crawl waits: ${reason}`)
      }
      dispatcher.setPaused(reason !== null)
    },
    onError: fail,
    isStopping: dispatcher.isStopping,
  })
  const hostFailures = createHostFailures({
    ...{ store, watches, publish: checks.publish, stats, crawlStats, log, frontier, batch },
    onDropped(requests) {
      addOutstanding(-requests)
      showCounts()
    },
  })
  const { probeTablesAfter } = settings
  const tables =
    probeTablesAfter === null
      ? null
      : createPageTables({
          ...{ ...deps, ...settings, probeAfter: probeTablesAfter, borrow: dispatcher.borrow, offer: offerNow },
          searches: settings.searchesSitemaps,
          onError: fail,
        })
  const { sitemaps, gate } = deps
  const sitemapProbe =
    probeTablesAfter === null || sitemaps === null || !settings.searchesSitemaps
      ? null
      : createSitemapProbe({
          ...{ store, fetcher: deps.fetcher, clock, sitemaps, probeAfter: probeTablesAfter, offer: offerNow },
          rulesOf: (origin) => gate?.peek(origin) ?? null,
          mayAsk: (url) =>
            deps.refuses(url) === null &&
            (gate === null || gate.peek(originOf(url))?.isAllowed(settings.agent, url) === true),
        })
  // Modules need the whole answer, and a walk continues from the page itself.
  const isShared = outlet === null && deps.walk === null
  const sharedReading = createSharedReading({
    ...deps.readers,
    busyOf: (index) => counters.shard(index).get('busy'),
    now: clock.monotonic,
    read: ({ request, response, known }) => readResponse(request, response, known, settings.reading),
    recorder: createRecorder({
      record: (captures) => batch.persist(() => documents.record(captures)),
      maxItems: settings.writing.maxItems,
      maxWaitMs: settings.writing.maxWaitMs,
    }),
    offered: deps.pipe.offered,
  })
  const conclude = createConclude({
    ...{ pipe: deps.pipe, stats, crawlStats, clock, log, settings },
    give: (page) => (isShared && tables?.has(page.request) !== true ? sharedReading.give(page) : null),
    countFor: ({ check }, name, n) => watches.count(check.watch, name, n),
    linksOf: createAskTogether<KeptPage, string[]>((known) => batch.persist(() => documents.links(known))),
  })
  const run = createVisitRunner({
    ...{ clock, frontier, dispatcher, batch, hostFailures, crawlStats, crawlDelays, refuse, tables },
    track: retries.track('looking up pages'),
    visit: createVisit({
      ...settings,
      ...deps,
      ...{ tables, sitemapProbe },
      run: settings.reading.run,
      walks: deps.walk !== null,
      offer: offerNow,
      paceOf: watches.paceOf,
      onCrawlDelay: (host, delayMs) => crawlDelays.set(host, delayMs),
    }),
    countsAllVisits: deps.walk !== null,
    conclude: deps.walk === null ? conclude : createWalkOn(conclude, deps.walk, batch.persist),
    async isWatched(check) {
      await checks.learn(check)
      return watches.has(check.watch)
    },
    pages: {
      async take({ watch }) {
        const budget = watches.budgetOf(watch)
        return budget === undefined || deps.pages.take(watch, budget)
      },
      giveBack({ watch }) {
        const budget = watches.budgetOf(watch)
        if (budget !== undefined) deps.pages.giveBack(watch, budget)
      },
    },
  })

  /** Offers requests that aren't part of a result. They are queued before the request that led to them is done. */
  async function offerNow(offers: readonly Offer[]): Promise<void> {
    const { limited, watches: queued } = await batch.persist(() => store.offer(offers))
    stats.add('skipped.limit', limited)
    deps.pipe.offered(offers)
    watches.addQueued(queued)
    checks.publish()
  }

  /** Discards results that came too late. Their requests are still queued. */
  function refuse(items: readonly Pick<Finished, 'hostQueue' | 'request'>[], lease: PartitionLease): void {
    stats.add('refused', items.length)
    for (const { hostQueue, request } of items) {
      dispatcher.forget(request)
      frontier.completed(hostQueue, request)
    }
    dispatcher.end(items.length, lease)
    dispatcher.dispatch()
  }

  function showCounts(): void {
    const { queued, seen } = store.counts()
    stats.set('queued', queued)
    stats.set('seen', seen)
    const { active, resting } = frontier.counts()
    stats.set('activeHosts', active)
    stats.set('restingHosts', resting)
  }

  store.onArrival((arrivals) => {
    // Added before the pages with these links are removed: the count must never be zero in between.
    for (const { rows } of arrivals) addOutstanding(rows.length)
    frontier.arrive(arrivals)
  })

  return {
    failed,
    frontier,
    batch,
    leasesChanged() {
      showCounts()
      dispatcher.dispatch()
    },
    async start() {
      addOutstanding(store.counts().queued)
      showCounts()
      dispatcher.start({
        run: (hostQueue, request) => void run(hostQueue, request).catch(fail),
        unwrittenBytes: batch.bytes,
      })
      await frontier.wake()
      dispatcher.dispatch()
    },
    async stop() {
      const whileAlive = createWhileAlive(failed)
      dispatcher.stop()
      while (dispatcher.inFlight() > 0) {
        const idle = dispatcher.idle()
        await whileAlive(batch.flush())
        await whileAlive(idle)
      }
      await batch.flush()
      showCounts()
    },
    close: sharedReading.close,
  }
}

/** The counter for the outcome of a capture; null if it was counted before, or isn't counted at all. */
function counterOf(outcome: CaptureOutcome | null): CounterName | null {
  switch (outcome?.kind) {
    case 'stored':
    case 'relinked':
      return 'stored'
    case 'duplicate':
      return 'duplicates'
    case 'unchanged':
      return outcome.duplicate ? 'duplicates' : 'unchanged'
    case 'incomplete':
      return 'failed'
    default:
      return null
  }
}
