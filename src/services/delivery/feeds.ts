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
 * Pull feeds of a profile or of the whole inbox. A feed lists its owner's inbox, without archived items, which include everything from
 * muted sources.
 */
export type Feeds = {
  /** Null, indistinguishably, for a wrong secret, a feed that is off and an owner who may not sign in. */
  find(secret: string): Promise<FeedChannel | null>
  /** Its current content. Cheap: nothing is rendered. */
  read(channel: FeedChannel): Promise<FeedContent>
  render(content: FeedContent, format: FeedFormat, place: FeedPlace): Promise<string>
  /** Revokes its addresses and returns new ones. Null if the owner has no such feed. */
  renew(owner: string, id: string): Promise<Record<FeedFormat, string> | null>
}

export type FeedChannel = Channel & { kind: 'feed' }

export type FeedContent = {
  channel: FeedChannel
  title: string
  items: readonly InboxItem[]
  nameOf: ReadonlyMap<string, string>
  /** Time of the newest item, or of the feed's creation if it is empty. */
  updatedAt: number
  /** Long enough ago that no more items of that second can arrive, so the time alone can prove a reader up to date. */
  isSettled: boolean
}

/** Where a feed is fetched from: the address of the server, and the full URL. */
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
/** Version of the rendering, part of the ETag: increment it when feeds render differently, so that readers fetch them again. */
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
          // Readers identify entries by id across feeds: use ids per feed, or an entry would be missing from all feeds but one.
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

/** ETag: changes with everything the rendered feed depends on. The text of an annotation never changes. */
export function tagOfFeed({ title, items, nameOf }: FeedContent, format: FeedFormat, { self }: FeedPlace): string {
  const facts = items.map(({ id, profile, alsoAt }) => [id, nameOf.get(profile), alsoAt])
  const text = JSON.stringify([WRITING, format, self, title, facts])
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}
