import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import type { CrawlControl, ServerParts, WebSubParts } from '../../server/parts.ts'
import { type AccountService, createAccountService } from '../../services/accounts/account-service.ts'
import type { CrawlCounters } from '../../services/activity/activity.ts'
import type { NodeList } from '../../services/activity/this-node.ts'
import type { ArchiveService } from '../../services/archive/archive-service.ts'
import { createMuting } from '../../services/archive/muting.ts'
import type { DeliveryWatch } from '../../services/channels/delivery-watch.ts'
import type { ChannelSending } from '../../services/channels/sending.ts'
import { createCrawlService } from '../../services/crawls/crawl-service.ts'
import { createArrivals } from '../../services/events/arrivals.ts'
import { createEventHub, type EventHub } from '../../services/events/event-hub.ts'
import { createMarkRelay } from '../../services/events/mark-relay.ts'
import { createInboxService, createProfileNames } from '../../services/inbox/inbox-service.ts'
import { createStorySplits } from '../../services/inbox/story-splits.ts'
import { createRequestLimits } from '../../services/limits/request-limits.ts'
import { createProfileKeys } from '../../services/profiles/keyed-profile.ts'
import { createPrivateAddress } from '../../services/profiles/private-address.ts'
import { createBelongings, profileRules } from '../../services/profiles/values/profile-values.ts'
import { createLevels } from '../../services/scheduler/schedule-settings.ts'
import type { Scheduler } from '../../services/scheduler/scheduler.ts'
import { followChecks } from '../../services/sources/source-events.ts'
import { createSources, type Sources } from '../../services/sources/sources.ts'
import type { WatchService } from '../../services/watching/watch-service.ts'
import type { ClusterEvents } from '../../store/contracts/cluster/events.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createSourceSpelling, protocolAbilities } from '../protocols.ts'
import { createActivityParts } from './activity-parts.ts'
import { createDeliveryParts } from './channel-parts.ts'
import { createCredentialParts } from './credential-parts.ts'
import { createLinkParts } from './link-parts.ts'
import { createTryParts } from './try-parts.ts'

/** What the server needs from the process that it runs in. */
export type ServerDeps = {
  config: Config
  log: Logger
  /** For this thread alone. */
  stores: StoreSet
  /** Reads the archive in another thread. */
  archive: ArchiveService
  /** Sends test messages to channels, and previews what will be sent; omitted if nothing is sent. */
  sending?: ChannelSending
  /** Deliveries of this process. */
  deliveryWatch?: Pick<DeliveryWatch, 'counts' | 'onState'>
  /** The machine's clock by default. */
  clock?: Clock
  watching: Pick<WatchService, 'checkNow'>
  /** Reports the start and end of checks; if omitted, clients aren't notified of them. */
  checks?: Pick<WatchService, 'onCheck' | 'urdsOf'>
  scheduler: Pick<Scheduler, 'snapshot' | 'stats'>
  /** Becomes administrator if there is no account yet. */
  administrator?: { email: string; password: string } | null
  /** Notifications of feed hubs (WebSub); omitted if no hub is used. */
  webSub?: WebSubParts
  /** Stats of the crawl; all zero without a crawl. */
  counters?: CrawlCounters
  /** The processes that share the work; if omitted, this one does it alone. */
  nodes?: NodeList
  /** Pauses the crawl; if omitted, it can't be paused. */
  crawlControl?: CrawlControl
  /** Number of crawling threads in this process. */
  threads?: number
  /** Why the rest of the process can't work; empty when it can. */
  healthErrors?(): readonly string[]
  /** The other processes that serve from the same stores; omitted if there are none. */
  shared?: { events: Pick<ClusterEvents, 'listen' | 'notify'>; node: string }
}

type PartDeps = ServerDeps & { clock: Clock; hub: EventHub }

/** Everything that the routes of the server use. */
export function createParts(given: ServerDeps): ServerParts {
  const { config, log } = given
  const deps: PartDeps = { ...given, clock: given.clock ?? systemClock, hub: createEventHub() }
  const onProblem = (message: string, fields: Record<string, unknown>) => log.warn(fields, message)
  const sources = createSourceParts(deps)
  return {
    clock: deps.clock,
    accounts: createAccounts({ ...deps, onProblem, isShared: deps.shared !== undefined }),
    requestLimits: createRequestLimits({
      perMinute: config.server.requestsPerMinute,
      clock: deps.clock,
      shared: deps.stores.requestCounts,
      onProblem,
    }),
    archive: deps.archive,
    muting: createMuting({ archive: deps.archive, annotations: deps.stores.annotations, clock: deps.clock }),
    profileRules: profileRules(config, protocolAbilities),
    belongingsOf: createBelongings(deps.stores),
    privateAddress: createPrivateAddress(config.network.allow),
    settings: config.server,
    sources,
    credentials: createCredentialParts(deps),
    trying: createTryParts({ ...deps, onProblem }),
    crawlControl: deps.crawlControl ?? null,
    crawls: createCrawlService({ crawls: deps.stores.crawls, config, clock: deps.clock }),
    ...createActivityParts(deps),
    ...createInboxParts(deps, sources),
    ...createLinkParts(deps),
    ...createDeliveryParts(deps),
  }
}

export type AccountDeps = {
  stores: Pick<
    StoreSet,
    | 'accounts'
    | 'sessions'
    | 'tokens'
    | 'signInFailures'
    | 'setup'
    | 'serverSecrets'
    | 'profiles'
    | 'inbox'
    | 'channels'
    | 'credentials'
  >
  config: Config
  clock: Clock
  onProblem(message: string, fields: Record<string, unknown>): void
  /** Whether several processes serve from the same stores. */
  isShared?: boolean
}

export function createAccounts({ stores, config, clock, onProblem, isShared = false }: AccountDeps): AccountService {
  return createAccountService({
    ...{ stores, clock, onProblem, isShared },
    sessionAgeMs: config.server.sessionAgeMs,
    levelOf: createLevels(config.schedule),
  })
}

function createSourceParts({ stores, config, log, clock, scheduler, watching, checks, hub }: PartDeps): Sources {
  const rules = profileRules(config, protocolAbilities)
  const sources = createSources({
    ...{ scheduler, watching, clock },
    isAdministrator: async (owner) => (await stores.accounts.findByEmail(owner))?.role === 'administrator',
    stores: { ...stores, keyOf: createKeys(config, stores.seed) },
    naming: {
      ...{
        keyed: createProfileKeys(namingOf(config.crawl), createSourceSpelling(config)),
        rules,
        limits: config.server,
      },
      privateAddress: createPrivateAddress(config.network.allow),
    },
  })
  if (checks !== undefined)
    followChecks({
      checks,
      sources: sources.service,
      isHeard: hub.isHeard,
      onState: (owner, source) => hub.publish(owner, { name: 'source', data: source }),
      onProblem: (message, fields) => log.warn(fields, message),
    })
  return sources
}

/** Inbox, profiles and live events. */
function createInboxParts({ config, log, stores, clock, hub, shared }: PartDeps, sources: Sources) {
  const { inbox: store, profiles: profileStore, annotations } = stores
  const { maxStreams } = config.server
  const onProblem = (message: string, fields: Record<string, unknown>) => log.warn(fields, message)
  const marks = shared === undefined ? null : createMarkRelay({ events: shared.events, from: shared.node, onProblem })
  const inbox = createInboxService({
    ...{ store, hub, clock, countFailing: sources.service.countFailing },
    names: createProfileNames(profileStore),
    ...(marks === null ? {} : { tellOthers: marks.tell }),
  })
  marks?.follow(inbox.noteMarks)
  const arrivals = createArrivals({ inbox, store, annotations, hub, onProblem })
  const stories = createStorySplits({ annotations, clock, announce: arrivals.announce })
  return { inbox, stories, events: { hub, arrivals, maxStreams } }
}
