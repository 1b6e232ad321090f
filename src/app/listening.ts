import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { AppError } from '../core/errors.ts'
import { accessOf, withoutAccess } from '../core/url/access.ts'
import { createAddressGuard } from '../core/url/address.ts'
import { createDnsCache } from '../crawl/dns/dns-cache.ts'
import { createSystemResolver } from '../crawl/dns/resolver.ts'
import { allowedAddresses } from '../crawl/fetch/connector.ts'
import { schemeOf } from '../fetchers/fetcher.ts'
import { createCredentialsKey } from '../services/credentials/credentials-key.ts'
import { createSecretOpener } from '../services/credentials/secret-opener.ts'
import { createHubListening, type HubListening, type HubListeningDeps } from '../services/watching/hub-listening.ts'
import type { ListenTo } from '../services/watching/listening.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'
import { createListeningProtocols } from './protocols.ts'
import { openReach } from './trying.ts'

export type Ears = {
  listenTo: ListenTo
  /** For the route that hubs call. */
  webSub: HubListening['webSub']
  /** Handles a hub's call to another server of the cluster. */
  relayed: HubListening['relayed']
  /** Called once the server answers: from now on hubs can be asked to call it. */
  serving(): void
  close(): Promise<void>
}

/** Listens to sources of all protocols that push news, and to feeds with a hub. */
export function createEars({
  config,
  stores,
  clock,
  shared,
}: {
  config: Config
  stores: Pick<StoreSet, 'credentials' | 'keyFile'>
  clock: Clock
  /** The other servers of a cluster. */
  shared?: HubListeningDeps['shared']
}): Ears {
  const key = createCredentialsKey({ given: config.credentials.key, file: stores.keyFile })
  const secrets = createSecretOpener({ store: stores.credentials, key, clock })
  const protocols = createListeningProtocols(config)
  const { crawl, network, dns: settings } = config
  const guard = createAddressGuard({ allow: network.allow })
  const { maxEntries, minTtlMs, maxTtlMs, negativeTtlMs, concurrency } = settings
  const dns = createDnsCache({
    resolver: createSystemResolver({ clock, servers: network.nameservers }),
    ...{ clock, maxEntries, minTtlMs, maxTtlMs, negativeTtlMs, concurrency },
  })
  const { promise: isServing, resolve: serving } = Promise.withResolvers<void>()
  const hubs = createHubListening({
    ...{ publicUrl: config.server.url, clock, isServing },
    ...(shared && { shared }),
    openReach: () => openReach({ config, clock }),
  })

  async function listenTo(uri: string, heard: Parameters<ListenTo>[1]) {
    const url = withoutAccess(uri)
    const { credentials } = accessOf(uri)
    const secret = credentials === '' ? null : await secrets.open(credentials)
    const place = {
      ...{ url, clock, secret },
      resolve: async (host: string) => (await allowedAddresses(host, { dns, guard }))[0]!,
      signal: new AbortController().signal,
      limits: {
        ...{ connectTimeoutMs: crawl.connectTimeoutMs, stallTimeoutMs: crawl.stallTimeoutMs },
        ...{ maxBodyBytes: crawl.maxBodyBytes, maxItems: 0 },
      },
    }
    const protocol = protocols.find(({ schemes }) => schemes.includes(schemeOf(url)))
    const listen = /^https?:/.test(url) ? hubs.listen : protocol?.listen
    if (listen === undefined) throw new AppError('not-available', 'this source does not tell of news by itself')
    try {
      return await listen(place, heard)
    } catch (error) {
      if (secret !== null && error instanceof AppError && error.code === 'sign-in-failed')
        await secrets.noteFailed(credentials, error.message)
      throw error
    }
  }

  return { listenTo, webSub: hubs.webSub, relayed: hubs.relayed, serving, close: hubs.close }
}
