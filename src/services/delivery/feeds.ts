import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { atomFeed, type Feed, jsonFeed, rssFeed } from '../../delivery/render/feed.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'
import type { Channel, ChannelStore } from '../../store/contracts/channels.ts'
import type { InboxItem, InboxStore } from '../../store/contracts/inbox.ts'
import type { ProfileNames } from '../inbox/inbox-service.ts'
import { messageItemOf } from './message-item.ts'
import { type FeedFormat, generationOf, type SecretLinks } from './secret-links.ts'

/**
 * Feeds to pull, of a profile or of the whole inbox. A feed has what its owner's inbox has; what is archived, as all of a muted
 * source is, has left it.
 */
export type Feeds = {
  /** Null for a wrong secret, and for a feed that is off or whose owner may not sign in: nobody can tell these apart. */
  find(secret: string): Promise<FeedChannel | null>
  /** What it has now. Cheap: nothing is rendered. */
  read(channel: FeedChannel): Promise<FeedContent>
  render(content: FeedContent, format: FeedFormat, place: FeedPlace): Promise<string>
  /** Ends its addresses and gives it new ones. Null where the owner has no such feed. */
  renew(owner: string, id: string): Promise<Record<FeedFormat, string> | null>
}

export type FeedChannel = Channel & { kind: 'feed' }

export type FeedContent = {
  channel: FeedChannel
  title: string
  items: readonly InboxItem[]
  nameOf: ReadonlyMap<string, string>
  /** When the newest item came; when the feed was made, where there is none. */
  updatedAt: number
  /** So long ago that nothing more can come of that second: the time alone then says that a reader has everything. */
  isSettled: boolean
}

/** Where a feed is fetched from: the address of the server, and the whole URL. */
export type FeedPlace = { address: string; self: string }

export type FeedDeps = {
  links: Pick<SecretLinks, 'find' | 'feedUrls' | 'uuidOf'>
  channels: Pick<ChannelStore, 'find' | 'change'>
  inbox: Pick<InboxStore, 'list'>
  accounts: Pick<AccountStore, 'findByEmail'>
  names: ProfileNames
  clock: Clock
}

const MAX_ITEMS = 50
const SETTLED_MS = 300_000
/** Raised when feeds are written in another way, so that readers fetch them again. */
const WRITING = 2

const renderers: Record<FeedFormat, (feed: Feed) => string> = { atom: atomFeed, rss: rssFeed, json: jsonFeed }

export function createFeeds({ links, channels, inbox, accounts, names, clock }: FeedDeps): Feeds {
  return {
    async find(secret) {
      const channel = await links.find('feed', secret)
      if (channel === null || !isFeed(channel) || channel.state === 'off') return null
      const account = await accounts.findByEmail(channel.owner)
      return account === null || account.disabled ? null : channel
    },
    async read(channel) {
      const profile = profileOf(channel)
      const filter = { state: 'all', ...(profile === '' ? {} : { profile }) } as const
      const items = await inbox.list(channel.owner, filter, { before: null, limit: MAX_ITEMS })
      const nameOf = await names.of([...items.map((item) => item.profile), ...(profile === '' ? [] : [profile])])
      const title = channel.name || nameOf.get(profile) || 'eRACE inbox'
      const updatedAt = items.reduce((latest, { at }) => Math.max(latest, at), channel.createdAt)
      return { channel, title, items, nameOf, updatedAt, isSettled: clock.now() - updatedAt > SETTLED_MS }
    },
    async render({ channel, title, items, nameOf, updatedAt }, format, { address, self }) {
      const entries = await Promise.all(
        items.map(async (item) => ({
          // Readers know entries by their id, whatever feed they are in: each feed has its own, or one would lack what another has.
          id: `urn:uuid:${await links.uuidOf(`annotation ${item.id} in ${channel.id}`)}`,
          item: messageItemOf(item, { profile: nameOf.get(item.profile) ?? '', address }),
        })),
      )
      const id = `urn:uuid:${await links.uuidOf(`feed ${channel.id}`)}`
      return renderers[format]({ id, title, updatedAt, entries, links: { self, home: `${address}/inbox` } })
    },
    async renew(owner, id) {
      const channel = await channels.find(id)
      if (channel === null || channel.owner !== owner || !isFeed(channel)) return null
      const settings = { ...channel.settings, generation: generationOf(channel.settings) + 1 }
      if (!(await channels.change(owner, id, { settings }))) return null
      return links.feedUrls({ id, settings })
    },
  }
}

const isFeed = (channel: Channel): channel is FeedChannel => channel.kind === 'feed'

/** '' for the whole inbox. */
function profileOf({ settings }: FeedChannel): string {
  return Object.hasOwn(settings, 'profile') && typeof settings.profile === 'string' ? settings.profile : ''
}

/** Changes with everything that the written feed depends on; the text of an annotation never changes. */
export function tagOfFeed({ title, items, nameOf }: FeedContent, format: FeedFormat, { self }: FeedPlace): string {
  const facts = items.map(({ id, profile, alsoAt }) => [id, nameOf.get(profile), alsoAt])
  const text = JSON.stringify([WRITING, format, self, title, facts])
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}
