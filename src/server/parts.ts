import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { AccountService } from '../services/accounts/account-service.ts'
import type { UrlSessions } from '../services/accounts/url-sessions.ts'
import type { Activity } from '../services/activity/activity.ts'
import type { NodeList } from '../services/activity/this-node.ts'
import type { ArchiveService } from '../services/archive/archive-service.ts'
import type { Muting } from '../services/archive/muting.ts'
import type { ChannelService } from '../services/channels/channel-service.ts'
import type { ChannelSending } from '../services/channels/sending.ts'
import type { CrawlService } from '../services/crawls/crawl-service.ts'
import type { CredentialService } from '../services/credentials/credential-service.ts'
import type { Feeds } from '../services/delivery/feeds.ts'
import type { Unsubscribe } from '../services/delivery/unsubscribe.ts'
import type { InboxService } from '../services/inbox/inbox-service.ts'
import type { StorySplits } from '../services/inbox/story-splits.ts'
import type { RequestLimits } from '../services/limits/request-limits.ts'
import type { PrivateAddress } from '../services/profiles/private-address.ts'
import type { ProfileService } from '../services/profiles/profile-service.ts'
import type { BelongingsOf, ProfileRules } from '../services/profiles/values/profile-values.ts'
import type { Sources } from '../services/sources/sources.ts'
import type { TrySource } from '../services/sources/trying/try-source.ts'
import type { NodeStore } from '../store/contracts/cluster/nodes.ts'
import type { DeliveryStore } from '../store/contracts/deliveries.ts'
import type { GraphView } from '../store/contracts/graph-view.ts'
import type { HostView } from '../store/contracts/host-view.ts'
import type { EventParts } from './http/event-streams.ts'
import type { Metrics } from './metrics.ts'

export type HealthParts = {
  metrics: Metrics
  health: {
    /** Why this process can't do its work; empty when it can. */
    healthErrors(): Promise<readonly string[]>
  }
}

/** Pauses and resumes the crawl; null if there is none to pause. */
export type CrawlControl = Pick<NodeStore, 'isPaused' | 'pause'> | null

export type ChannelRoutesParts = {
  service: ChannelService
  sending: ChannelSending
  deliveries: Pick<DeliveryStore, 'messages' | 'message' | 'sendAgain'>
  /** Limits test messages per account. */
  testLimits: RequestLimits
  clock: Clock
}

export type PhoneParts = {
  sessions: UrlSessions
  failingChannels(owner: string): Promise<readonly { name: string; reason: string }[]>
}

/** WebSub subscriptions, by the token in their callback URL. */
export type WebSubParts = {
  /** The response to a hub that verifies a subscription; null if it isn't ours. */
  verify(token: string, query: ReadonlyMap<string, string>): string | null
  /** Whether there is such a subscription. */
  deliver(token: string, body: Uint8Array, signature: string): boolean
}

export type TryParts = {
  trySource: TrySource
  /** Normalises a URI according to its protocol; throws `url-invalid`. */
  spell(uri: string): string
  /** Limits tries per account. */
  limits: RequestLimits
}

/** The dependencies of the routes, one part per group of routes. */
export type ServerParts = HealthParts & {
  clock: Clock
  accounts: AccountService
  channels: ChannelRoutesParts
  credentials: CredentialService
  archive: ArchiveService
  muting: Muting
  privateAddress: PrivateAddress
  /** Rules for parsing profiles. */
  profileRules: ProfileRules
  belongingsOf: BelongingsOf
  settings: Pick<Config['server'], 'url'>
  requestLimits: RequestLimits
  activity: Activity
  graph: GraphView
  hosts: HostView
  nodes: NodeList
  crawlControl: CrawlControl
  crawls: CrawlService
  feeds: Feeds
  unsubscribe: Unsubscribe
  webSub: WebSubParts
  phone: PhoneParts
  inbox: InboxService
  stories: StorySplits
  profiles: ProfileService
  sources: Sources
  trying: TryParts
  events: EventParts
}

/** Routes are added here; their schemas type their handlers. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>
