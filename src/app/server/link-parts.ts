import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { ServerParts } from '../../server/parts.ts'
import { createFeeds } from '../../services/delivery/feeds.ts'
import { createSecretLinks } from '../../services/delivery/secret-links.ts'
import { createUnsubscribe } from '../../services/delivery/unsubscribe.ts'
import { createProfileNames } from '../../services/inbox/inbox-service.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

/** What people reach by secret links, without signing in. */
export function createLinkParts({
  config,
  stores,
  clock,
}: {
  config: Config
  stores: StoreSet
  clock: Clock
}): Pick<ServerParts, 'feeds' | 'unsubscribe'> {
  const { channels, inbox, accounts } = stores
  const links = createSecretLinks({ secrets: stores.serverSecrets, channels, address: () => config.server.url })
  return {
    feeds: createFeeds({ links, channels, inbox, accounts, clock, names: createProfileNames(stores.profiles) }),
    unsubscribe: createUnsubscribe({ links, channels }),
  }
}
