import { createMediaReader } from '../archive/media/media-reader.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { decodeBody } from '../core/http/decode-body.ts'
import { createOmitRules } from '../core/text/omit-rules.ts'
import { createAddressGuard } from '../core/url/address.ts'
import { settingsForWatching } from '../crawl/crawl-settings.ts'
import { createDnsCache } from '../crawl/dns/dns-cache.ts'
import { createSystemResolver } from '../crawl/dns/resolver.ts'
import { allowedAddresses } from '../crawl/fetch/connector.ts'
import { defaultFetchLimits } from '../crawl/fetch/fetch-limits.ts'
import { headerList } from '../crawl/fetch/fetch-result.ts'
import { createFetcher } from '../crawl/fetch/fetcher.ts'
import { readCollectedTypes } from '../crawl/filter/collected-types.ts'
import { productToken } from '../crawl/robots/agent-token.ts'
import { createRobotsCache } from '../crawl/robots/robots-cache.ts'
import { createBrowserPages } from '../crawl/worker/shared-counters.ts'
import { createMayFetch, createRobotsGate } from '../crawl/worker/visit/robots-gate.ts'
import { schemeOf } from '../fetchers/fetcher.ts'
import type { Reach } from '../services/sources/trying/reach.ts'
import { createProtocols } from './protocols.ts'

/** Small, since the body is only shown. */
const MAX_BODY_BYTES = 2 << 20
const MAX_ITEMS = 200
/** Cap of each timeout; a whole try has 30 seconds. */
const TIMEOUT_MS = 20_000

/** Access to sources for one try: guarded and limited like the crawler's, with nothing stored. */
export async function openReach({ config, clock }: { config: Config; clock: Clock }): Promise<Reach> {
  const { files, omit } = await settingsForWatching('', config)
  const { crawl, network, dns: settings, robots } = config
  const guard = createAddressGuard({ allow: network.allow })
  const { maxEntries, minTtlMs, maxTtlMs, negativeTtlMs, concurrency } = settings
  const dns = createDnsCache({
    resolver: createSystemResolver({ clock, servers: network.nameservers }),
    ...{ clock, maxEntries, minTtlMs, maxTtlMs, negativeTtlMs, concurrency },
  })
  const limits = {
    connectTimeoutMs: Math.min(crawl.connectTimeoutMs, TIMEOUT_MS),
    stallTimeoutMs: Math.min(crawl.stallTimeoutMs, TIMEOUT_MS),
    maxBodyBytes: Math.min(crawl.maxBodyBytes, MAX_BODY_BYTES),
    maxItems: MAX_ITEMS,
  }
  const fetcher = createFetcher({
    ...{ dns, guard, clock, userAgent: crawl.userAgent },
    acceptsMediaType: readCollectedTypes(files).acceptsMediaType,
    limits: {
      ...defaultFetchLimits,
      connectTimeoutMs: limits.connectTimeoutMs,
      headersTimeoutMs: Math.min(crawl.headerTimeoutMs, TIMEOUT_MS),
      bodyTimeoutMs: limits.stallTimeoutMs,
      totalTimeoutMs: Math.min(crawl.totalTimeoutMs, TIMEOUT_MS),
      maxHeaderBytes: crawl.maxHeaderBytes,
      maxBodyBytes: limits.maxBodyBytes,
    },
  })
  const agent = productToken(crawl.userAgent)
  const gate = crawl.respectRobots
    ? createRobotsGate({
        cache: createRobotsCache({ maxEntries: 100, maxBytes: 4 << 20, clock }),
        store: { loadRobots: async () => null, saveRobots: async () => {} },
        ...{ fetcher, clock, maxAgeMs: robots.maxAgeMs },
        decode: async ({ body, rawHeaders }, maxBytes) =>
          decodeBody(body, headerList(rawHeaders, 'content-encoding'), maxBytes),
      })
    : null
  const { others, browser } = createProtocols(config)({
    ...{ fetch: fetcher.fetch, mayFetch: createMayFetch(gate, agent), clock, log() {} },
    browserPages: createBrowserPages(),
  })
  const media = createMediaReader()
  return {
    fetch: fetcher.fetch,
    robots: gate === null ? null : { gate, agent },
    protocolOf(url, render) {
      if (render === 'browser') return browser
      const scheme = schemeOf(url)
      return others.find(({ schemes }) => schemes.includes(scheme)) ?? null
    },
    resolve: async (host) => (await allowedAddresses(host, { dns, guard }))[0]!,
    ...{ media, limits, omitFor: createOmitRules(omit) },
    async close() {
      await Promise.all([...others, browser].map((each) => each.close()))
      await Promise.all([fetcher.close(), media.close()])
    },
  }
}
