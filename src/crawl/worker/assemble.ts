import { hash } from 'node:crypto'
import { sharedMedia } from '../../archive/body-reader.ts'
import type { Config } from '../../config/config.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import type { CheckOrder } from '../../core/check-order.ts'
import type { Clock } from '../../core/clock.ts'
import { decodeBody } from '../../core/http/decode-body.ts'
import type { CrawlDetails } from '../../core/reports/crawl-report.ts'
import { type BodyWork, ownThread } from '../../core/text/body-work.ts'
import { createOmitRules } from '../../core/text/omit-rules.ts'
import { createAddressGuard } from '../../core/url/address.ts'
import { hostKey } from '../../core/url/partition.ts'
import { createFingerprinter } from '../../core/url/url-key.ts'
import type { Retries } from '../../core/work/retries.ts'
import type { DocumentKey, DocumentStore } from '../../store/contracts/documents.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import type { WalkStore } from '../../store/contracts/walks.ts'
import type { AcceptedOrders, ShardHandle } from '../crawl.ts'
import { chooseResolver } from '../dns/choose-resolver.ts'
import { createDnsCache, withWaits } from '../dns/dns-cache.ts'
import type { ThreadScanner } from '../extract/scan-thread/thread-scanner.ts'
import { createLinkMemo } from '../extract/scanner/link-memo.ts'
import { allowedAddresses } from '../fetch/connector.ts'
import { defaultFetchLimits } from '../fetch/fetch-limits.ts'
import { headerList } from '../fetch/fetch-result.ts'
import { createFetcher } from '../fetch/fetcher.ts'
import type { Protocols, ProtocolTools } from '../fetch/protocol.ts'
import type { Secrets } from '../fetch/secrets.ts'
import { readCollectedTypes } from '../filter/collected-types.ts'
import { createMapping, hostNameOf } from '../mapping/mapping.ts'
import { createLinkNormaliser } from '../normalize/link-normaliser.ts'
import { namingOf } from '../normalize/naming.ts'
import { createUrlOrder } from '../order/orders.ts'
import { createWalk, createWalkRandom, type Walk } from '../order/walk.ts'
import { createPartFaults } from '../parts/guarded.ts'
import { loadFilters } from '../parts/load-filters.ts'
import type { Outlet } from '../parts/outlet.ts'
import { openDocumentSet, openUrlSet } from '../parts/sets.ts'
import { productToken } from '../robots/agent-token.ts'
import { createRobotsCache } from '../robots/robots-cache.ts'
import { createSitemapLimit, createSitemapOffers } from '../tables/sitemaps.ts'
import type { Coordination } from './coordination.ts'
import { type CrawlStats, createCrawlStats } from './crawl-stats.ts'
import { createFilterSteps, createInScope, createListRefusal } from './links/filter-steps.ts'
import { createLinkPipe } from './links/link-pipe.ts'
import { createSeedOffers } from './links/seed-offers.ts'
import { createWatches, type Watches } from './results/check-results.ts'
import { createShard, type Shard, type ShardDeps } from './shard.ts'
import type { SharedCounters } from './shared-counters.ts'
import type { KeptAspects, KeptText } from './visit/compare-versions.ts'
import { createProtocolVisit } from './visit/protocol-visit.ts'
import type { KeptBodies } from './visit/read-response.ts'
import { createLoggedReader } from './visit/readable.ts'
import { createMayFetch, createRobotsGate, type RobotsGate, type RobotsGateOptions } from './visit/robots-gate.ts'

/** What a thread provides to the shard that runs in it. */
export type ShardEnvironment = {
  index: number
  shards: number
  run: number
  /** Whether documents may be known from earlier runs. */
  looksBack: boolean
  /** Secret seed of the fingerprints, the same in all shards. */
  seed: readonly [number, number]
  store: FrontierStore
  documents: DocumentStore
  counters: SharedCounters
  clock: Clock
  log: ShardDeps['log']
  retries: Retries
  logsPauses: boolean
  keptText: KeptText
  keptAspects: KeptAspects
  keptBody: KeptBodies
  /** Protocols other than plain HTTP; called once, when the first of them is needed. */
  protocols(tools: ProtocolTools): Protocols | Promise<Protocols>
  walks: WalkStore
  /** Null if there are no credentials. */
  secrets: Secrets | null
  /** Set only if there are modules. */
  outlet?: Outlet | null
  /** Scans pages in another thread; by default this one scans them. */
  scanner?: ThreadScanner | null
  /** For changed bodies; by default done by this thread. */
  bodyWork?: BodyWork
  /** Ports to the other shards of the process, for pages that they read; none by default. */
  readers?: ShardDeps['readers']['ports']
  coordinate(parts: { fetchers: number; watches: Watches }): Coordination
}

/** Pages of a host before it is probed for tables, so that small visits cost no probe. */
const PAGES_BEFORE_PROBE = 8
/** Maximum number of URLs per host. The steps of a walk are numbered like URLs, and only `--max-pages` limits them. */
export function maxUrlsPerHost({ order, maxPagesPerHost }: Config['crawl']): number {
  return order === 'walk' ? Number.MAX_SAFE_INTEGER : maxPagesPerHost
}

/** Number of pages listed in the result of a walk. */
const MOST_VISITED = 10
/** Maximum number of items in one list. */
const MAX_ITEMS = 10_000

export type AssembledShard = {
  shard: Shard
  /** Closes all connections. */
  close(): Promise<void>
  crawlStats: CrawlStats
  /** Call only when nothing is in flight any more. */
  crawlDetails(): Promise<CrawlDetails>
  offerSeeds(urls: readonly string[]): Promise<void>
  watches: Watches
  /** Starts the checks of watched sources whose hosts are accepted by `owns`. */
  offerChecks(orders: readonly CheckOrder[], owns: (host: string) => boolean): ReturnType<ShardHandle['checks']>
}

/** Assembles one shard from the settings of the crawl: the only place that knows all parts. */
export async function assembleShard(settings: CrawlSettings, environment: ShardEnvironment): Promise<AssembledShard> {
  const { crawl, network, dns: dnsSettings, robots } = settings.config
  const { clock, store, documents, counters, log, retries } = environment
  const stats = counters.shard(environment.index)
  const crawlStats = createCrawlStats()
  const dns = createDnsCache({
    resolver: await chooseResolver(settings.config, clock),
    clock,
    maxEntries: dnsSettings.maxEntries,
    minTtlMs: dnsSettings.minTtlMs,
    maxTtlMs: dnsSettings.maxTtlMs,
    negativeTtlMs: dnsSettings.negativeTtlMs,
    concurrency: dnsSettings.concurrency,
  })
  const guard = createAddressGuard({ allow: network.allow })
  for (const seed of settings.seeds) guard.allowSeed(hostNameOf(seed))
  const { acceptsMediaType } = readCollectedTypes(settings.files)
  const fetchers = Math.max(1, Math.ceil(crawl.fetchers / environment.shards))
  const maxConnections = Math.max(defaultFetchLimits.maxConnections, 2 * fetchers)
  const fetcher = createFetcher({
    dns: withWaits(dns, clock, crawlStats.nameWait),
    guard,
    clock,
    userAgent: crawl.userAgent,
    acceptsMediaType,
    limits: {
      ...defaultFetchLimits,
      connectTimeoutMs: crawl.connectTimeoutMs,
      headersTimeoutMs: crawl.headerTimeoutMs,
      bodyTimeoutMs: crawl.stallTimeoutMs,
      totalTimeoutMs: crawl.totalTimeoutMs,
      maxHeaderBytes: crawl.maxHeaderBytes,
      maxBodyBytes: crawl.maxBodyBytes,
      perHostConnections: crawl.perHost,
      maxConnections,
    },
  })
  const agent = productToken(crawl.userAgent)
  const decode: RobotsGateOptions['decode'] = async ({ body, rawHeaders }, maxBytes) =>
    decodeBody(body, headerList(rawHeaders, 'content-encoding'), maxBytes)
  const gate = crawl.respectRobots
    ? createRobotsGate({
        cache: createRobotsCache({ maxEntries: robots.maxEntries, maxBytes: 16 << 20, clock }),
        store,
        fetcher,
        clock,
        decode,
        maxAgeMs: robots.maxAgeMs,
      })
    : null
  /** For subresources that browser pages load from any host; stores nothing. */
  const visitorGate = (): RobotsGate =>
    createRobotsGate({
      cache: createRobotsCache({ maxEntries: robots.maxEntries, maxBytes: 4 << 20, clock }),
      store: { loadRobots: async () => null, saveRobots: async () => {} },
      ...{ fetcher, clock, decode, maxAgeMs: robots.maxAgeMs },
    })
  const { hostRules } = settings.files
  const naming = namingOf(crawl, hostRules)
  const seedOffers = createSeedOffers({ crawl, hostRules, seed: environment.seed })
  const fingerprinter = createFingerprinter(environment.seed)
  const faults = createPartFaults(log)
  const { seenCache } = settings.config.frontier
  const seen = await openUrlSet(settings.config.parts.urlSet, seenCache, faults)
  const documentSet = await openDocumentSet(settings.config.parts.documentSet, seenCache, faults)
  const watches = createWatches()
  const inScope = createInScope(settings, watches)
  const walk = crawl.order === 'walk' ? openWalk(settings, environment) : null
  const order = createUrlOrder(crawl.order, settings.focus ?? null)
  const { scanner = null } = environment
  const pipe = createLinkPipe({
    memo: createLinkMemo({ isElsewhere: scanner !== null }),
    steps: createFilterSteps(settings, inScope, await loadFilters(settings.config.parts.filters, log)),
    normaliser: createLinkNormaliser(naming),
    fingerprinter,
    seen,
    order,
    maxHops: walk === null ? crawl.maxDepth : Number.POSITIVE_INFINITY,
    workOf: watches.workOf,
    onSkip(reason, watch) {
      stats.add(`skipped.${reason}`)
      watches.count(watch, `skipped.${reason}`)
    },
    onUnparsable(href, pageUrl) {
      stats.add('unparsable')
      log('debug', 'link could not be parsed', { href: href.slice(0, 500), page: pageUrl })
    },
  })
  const mapping = createMapping({
    ...{ dns, guard, clock, mappers: dnsSettings.concurrency, onResolved: crawlStats.nameResolved },
  })
  const keyOf = (url: string): DocumentKey => ({ host: hostKey(url), fp: fingerprinter.toBigInt(url) })
  const openProtocols = async (): Promise<Protocols> =>
    environment.protocols({
      ...{ fetch: fetcher.fetch, clock, log, browserPages: counters.browserPages },
      mayFetch: createMayFetch(crawl.respectRobots ? visitorGate() : null, agent),
    })
  let opened: Promise<Protocols> | null = null
  const stopping = new AbortController()
  const protocols = createProtocolVisit({
    async protocolOf(url, { render }) {
      if (render !== 'browser' && url.startsWith('http')) return null
      opened ??= openProtocols()
      const { browser, others } = await opened
      const scheme = url.slice(0, url.indexOf(':'))
      return render === 'browser' ? browser : (others.find(({ schemes }) => schemes.includes(scheme)) ?? null)
    },
    ...{ secrets: environment.secrets, documents, keyOf, clock, stopping: stopping.signal },
    resolve: async (host) => (await allowedAddresses(host, { dns, guard }))[0]!,
    limits: {
      ...{ connectTimeoutMs: crawl.connectTimeoutMs, stallTimeoutMs: crawl.stallTimeoutMs },
      ...{ maxBodyBytes: crawl.maxBodyBytes, maxItems: MAX_ITEMS },
    },
    totalTimeoutMs: crawl.totalTimeoutMs,
  })
  const media = createLoggedReader(sharedMedia(), log)

  const refuses = createListRefusal(settings.files)
  const sitemapLimit = createSitemapLimit()
  const sitemaps =
    // A walk goes from page to page, and tables aren't pages.
    crawl.tables === 'none' || crawl.order === 'walk'
      ? null
      : createSitemapOffers({ pipe, inScope, refuses, limit: sitemapLimit, workOf: watches.workOf })
  const { leases, writing, addOutstanding, checks, pages } = environment.coordinate({ fetchers, watches })
  const shard = createShard(
    {
      ...{
        store,
        documents,
        fetcher,
        protocols,
        secrets: environment.secrets,
        gate,
        sitemaps,
        pipe,
        counters,
        stats,
        crawlStats,
        clock,
        mapping,
        log,
        watches,
        walk,
        documentSet,
      },
      ...{ leases, addOutstanding, checks, pages, refuses },
      ...{ retries, logsPauses: environment.logsPauses, outlet: environment.outlet ?? null },
      readers: { index: environment.index, ports: environment.readers ?? [] },
    },
    {
      rules: {
        delayMs: crawl.delayMs,
        delayFactor: crawl.delayFactor,
        failuresToRest: crawl.hostFailures,
        restMs: crawl.hostRestMs,
        restMaxMs: crawl.hostRestMaxMs,
        maxRests: crawl.hostRests,
        ...(walk !== null && walkRules),
      },
      perHost: crawl.perHost,
      perAddress: Math.max(crawl.perAddress, crawl.perHost),
      keptConnections: maxConnections,
      fetchers,
      writing: walk === null ? writing : { ...writing, maxWaitMs: 0, waitMsForEach: 0 },
      bufferRows: Math.ceil(settings.config.frontier.buffer / environment.shards),
      maxAttempts: crawl.maxAttempts,
      maxRedirects: crawl.maxRedirects,
      maxRepeatedPages: walk === null ? crawl.maxRepeatedPages : Number.MAX_SAFE_INTEGER,
      maxCrawlDelayMs: crawl.maxCrawlDelayMs,
      looksBack: environment.looksBack || walk !== null,
      fullCheckAfter: crawl.fullCheckAfter,
      rises: order.rises !== undefined,
      searchesSitemaps: crawl.tables === 'search' || crawl.tables === 'first',
      probeTablesAfter: sitemaps === null ? null : crawl.tables === 'first' ? 0 : PAGES_BEFORE_PROBE,
      agent,
      reading: {
        ...{ pipe, scanner, bodyWork: environment.bodyWork ?? ownThread },
        linkNaming: namingNumber(naming, settings.files.hostRules),
        run: environment.run,
        maxBodyBytes: crawl.maxBodyBytes,
        maxLinks: crawl.maxLinksPerPage,
        agent: crawl.respectRobots ? agent : null,
        omitFor: createOmitRules(settings.omit),
        keptText: crawl.compare === 'text' ? environment.keptText : null,
        aspectsOf: watches.aspectsOf,
        keptAspects: environment.keptAspects,
        keptBody: environment.keptBody,
        sitemaps: {
          ...{ pipe, clock, maxBodyBytes: crawl.maxBodyBytes, keyOf, limit: sitemapLimit, log },
          findKnown: environment.looksBack ? documents.find : null,
          offers: sitemaps,
          paceOf: watches.paceOf,
        },
        givesAnswers: environment.outlet != null,
        ...{ keyOf, acceptsMediaType },
        covers: ({ check, host }, url) => inScope({ url, pageHost: host, work: watches.workOf(check, url) }),
        media,
        readsText: order.readsText === true,
      },
    },
  )
  return {
    shard,
    async close() {
      stopping.abort()
      shard.close()
      const known = await opened
      if (known !== null) await Promise.all([...known.others, known.browser].map((each) => each.close()))
      await fetcher.close()
    },
    crawlStats,
    async crawlDetails() {
      const failed = faults.counts()
      const details = { ...crawlStats.details(), ...(Object.keys(failed).length > 0 && { partFaults: failed }) }
      if (walk === null || environment.index > 0) return details
      return { ...details, walk: await environment.walks.stats(environment.run, MOST_VISITED) }
    },
    watches,
    async offerSeeds(urls) {
      const offers = seedOffers.ofSeeds(urls, settings.depth)
      const begun = walk === null ? offers : await shard.batch.persist(() => walk.begin(offers))
      await shard.batch.persist(() => store.offer(begun))
    },
    async offerChecks(orders, owns) {
      const { offers, failed } = seedOffers.ofChecks(orders)
      const own = offers.filter(({ host }) => owns(host))
      const { watches: queued } = await store.offer(own)
      // Failed orders have no host and so no owner: the first shard reports them.
      const ended = environment.index === 0 ? failed : []
      for (const result of ended) watches.addResult(result)
      const accepted = new Map<number, AcceptedOrders>()
      for (const watch of [...own.map(({ check }) => check.watch), ...ended.map((result) => result.watch)]) {
        const known = accepted.get(watch)
        if (known === undefined) accepted.set(watch, { orders: 1, queued: queued.get(watch) ?? 0 })
        else known.orders++
      }
      if (ended.length > 0) checks.publish()
      return accepted
    },
  }
}

/** A walker waiting at a host must not be lost with it: hosts never rest and are never given up, only asked less often. */
const walkRules = { failuresToRest: Number.POSITIVE_INFINITY, maxSlowdowns: Number.POSITIVE_INFINITY }

function openWalk({ config: { crawl } }: CrawlSettings, { walks, run }: ShardEnvironment): Walk {
  const random = createWalkRandom(crawl.walkSeed)
  return createWalk({
    ...{ store: walks, run, walkers: crawl.walkers, restart: crawl.walkRestart, from: crawl.walkSeeds, random },
  })
}

/**
 * Identifies the rules that name URLs, as a positive 31-bit number. `listed` separates today's lists from older ones, in which a link
 * could occur more than once: the two can't be compared.
 */
function namingNumber(naming: Record<string, unknown>, hostRules: string | null): number {
  const rules = JSON.stringify({ ...naming, hostRules, listed: 'once' })
  return hash('sha256', rules, 'buffer').readUInt32BE(0) & 0x7fffffff || 1
}
