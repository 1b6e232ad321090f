import { lookup } from 'node:dns/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { createAddressGuard } from '../../core/url/address.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import { agreePushKeys } from '../../delivery/push-keys.ts'
import { agentsByKind } from '../../delivery/registry.ts'
import { type ChannelService, createChannelService } from '../../services/channels/channel-service.ts'
import type { DeliveryWatch } from '../../services/channels/delivery-watch.ts'
import { type ChannelSending, noSending } from '../../services/channels/sending.ts'
import { createTargetCheck } from '../../services/channels/target-check.ts'
import { createSecretLinks } from '../../services/delivery/secret-links.ts'
import { type ChannelEventsDeps, createChannelEvents } from '../../services/events/channel-events.ts'
import type { EventHub } from '../../services/events/event-hub.ts'
import { createRequestLimits } from '../../services/limits/request-limits.ts'
import { createProfileKeys } from '../../services/profiles/keyed-profile.ts'
import { createProfileReading } from '../../services/profiles/profile-reading.ts'
import { createProfileService, type ProfileService } from '../../services/profiles/profile-service.ts'
import { createBelongings } from '../../services/profiles/values/profile-values.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createSourceSpelling, protocolAbilities } from '../protocols.ts'

export type ChannelPartDeps = {
  config: Config
  stores: Pick<StoreSet, 'channels' | 'credentials' | 'deliveries' | 'profiles' | 'serverSecrets'>
  clock: Clock
  /** Called when a channel was added, changed or removed. */
  onChange?(owner: string, id: string): void
}

/** Channels, and the profiles that use them. */
export function createChannelParts({ config, stores, clock, onChange }: ChannelPartDeps): {
  profiles: ProfileService
  service: ChannelService
} {
  const { maxProfiles, maxSources } = config.server
  const profiles = createProfileService({
    store: stores.profiles,
    reading: createProfileReading({ config, abilities: protocolAbilities }),
    belongingsOf: createBelongings(stores),
    keyed: createProfileKeys(namingOf(config.crawl), createSourceSpelling(config)),
    limits: { maxProfiles, maxSources },
  })
  const service = createChannelService({
    ...{ stores, agents: agentsByKind, profiles, clock },
    service: { commands: config.delivery.commands, hasMailServer: config.mail.server !== '' },
    targets: createTargetCheck({
      guard: createAddressGuard({ allow: [...config.network.allow, ...config.delivery.allow] }),
      lookUp: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    }),
    links: createSecretLinks({
      ...{ secrets: stores.serverSecrets, channels: stores.channels },
      address: () => config.server.url,
    }),
    pushKey: async () => (await agreePushKeys(stores.serverSecrets)).publicKey,
    ...(onChange !== undefined && { onChange }),
  })
  return { profiles, service }
}

/** Limit of test messages per account and minute. */
const TESTS_PER_MINUTE = 10

export type DeliveryPartDeps = {
  config: Config
  log: Logger
  stores: StoreSet
  clock: Clock
  hub: EventHub
  shared?: ChannelEventsDeps['shared']
  sending?: ChannelSending
  deliveryWatch?: Pick<DeliveryWatch, 'onState'>
}

/** Channels, their log, and the profiles that use them. */
export function createDeliveryParts(deps: DeliveryPartDeps) {
  const { config, log, stores, clock, hub, shared, sending = noSending, deliveryWatch } = deps
  const onProblem = (message: string, fields: Record<string, unknown>) => log.warn(fields, message)
  const { tell } = createChannelEvents({ hub, onProblem, ...(shared !== undefined && { shared }) })
  deliveryWatch?.onState(({ owner, id }) => tell(owner, id))
  const { profiles, service } = createChannelParts({ config, stores, clock, onChange: tell })
  const testLimits = createRequestLimits({
    ...{ perMinute: TESTS_PER_MINUTE, clock, shared: stores.requestCounts, onProblem },
  })
  return { profiles, channels: { service, sending, deliveries: stores.deliveries, testLimits, clock } }
}
