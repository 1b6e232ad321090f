import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { ServerParts, WebSubParts } from '../../server/parts.ts'
import { createUrlSessions } from '../../services/accounts/url-sessions.ts'
import { createFeeds } from '../../services/delivery/feeds.ts'
import { createSecretLinks } from '../../services/delivery/secret-links.ts'
import { createUnsubscribe } from '../../services/delivery/unsubscribe.ts'
import { createProfileNames } from '../../services/inbox/inbox-service.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

const noSubscriptions: WebSubParts = { verify: () => null, deliver: () => false }

/** Ways to reach the server other than its pages: secret links, and phones. */
export function createLinkParts({
  config,
  stores,
  clock,
  webSub = noSubscriptions,
}: {
  config: Config
  stores: StoreSet
  clock: Clock
  webSub?: WebSubParts
}): Pick<ServerParts, 'feeds' | 'unsubscribe' | 'phone' | 'webSub'> {
  const { channels, inbox, accounts } = stores
  const links = createSecretLinks({ secrets: stores.serverSecrets, channels, address: () => config.server.url })
  return {
    feeds: createFeeds({ links, channels, inbox, accounts, clock, names: createProfileNames(stores.profiles) }),
    unsubscribe: createUnsubscribe({ links, channels }),
    webSub,
    phone: {
      sessions: createUrlSessions({ secrets: stores.serverSecrets, sessions: stores.sessions, accounts, clock }),
      failingChannels: async (owner) => (await channels.list(owner)).filter(({ state }) => state === 'failing'),
    },
  }
}
