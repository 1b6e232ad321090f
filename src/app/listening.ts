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
import type { ListenTo } from '../services/watching/listening.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'
import { createListeningProtocols } from './protocols.ts'

/** Listens to sources of all protocols that tell of news by themselves. */
export function createListenTo({
  config,
  stores,
  clock,
}: {
  config: Config
  stores: Pick<StoreSet, 'credentials' | 'keyFile'>
  clock: Clock
}): ListenTo {
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
  return async (uri, heard) => {
    const url = withoutAccess(uri)
    const { credentials } = accessOf(uri)
    const protocol = protocols.find(({ schemes }) => schemes.includes(schemeOf(url)))
    if (protocol?.listen === undefined) throw new AppError('url-invalid', 'this source does not tell of news by itself')
    const place = {
      ...{ url, clock, secret: credentials === '' ? null : await secrets.open(credentials) },
      resolve: async (host: string) => (await allowedAddresses(host, { dns, guard }))[0]!,
      signal: new AbortController().signal,
      limits: {
        ...{ connectTimeoutMs: crawl.connectTimeoutMs, stallTimeoutMs: crawl.stallTimeoutMs },
        ...{ maxBodyBytes: crawl.maxBodyBytes, maxItems: 0 },
      },
    }
    try {
      return await protocol.listen(place, heard)
    } catch (error) {
      if (place.secret !== null && error instanceof AppError && error.code === 'sign-in-failed')
        await secrets.noteFailed(credentials, error.message)
      throw error
    }
  }
}
