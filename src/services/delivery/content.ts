import { amounts } from '../../core/profile.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { isTemporary } from '../../core/work/retry.ts'
import type { ChannelAgent } from '../../delivery/channel-agent.ts'
import type { Message, MessageItem } from '../../delivery/render/message.ts'
import type { Annotation, AnnotationStore } from '../../store/contracts/annotations.ts'
import type { Channel } from '../../store/contracts/channels.ts'
import type { MessageDraft } from '../../store/contracts/deliveries.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { joined } from './choice.ts'
import { messageItemOf } from './message-item.ts'
import type { Policies, ProfilePolicy } from './policies.ts'
import type { SecretLinks } from './secret-links.ts'

/** Creates the content of messages. */
export type MessageContents = {
  /** Current content of its annotations, without those removed, those whose profile is gone and those of disabled accounts. */
  of(channel: Channel, draft: Omit<MessageDraft, 'subject'>): Promise<Message>
  test(channel: Channel, id: string, at: number): Promise<Message>
}

export type ContentDeps = {
  agents: ReadonlyMap<string, Pick<ChannelAgent, 'digest'>>
  annotations: Pick<AnnotationStore, 'findAll'>
  policies: Policies
  archive: Pick<ArchiveReader, 'text'>
  links: Pick<SecretLinks, 'unsubscribeUrl'>
  /** The address of the server; '' if unknown. */
  address(): string
  onProblem(message: string, fields: Record<string, unknown>): void
}

export function createMessageContents(deps: ContentDeps): MessageContents {
  const { agents, annotations, policies, archive, address, onProblem } = deps
  const linksOf = createMessageLinks(deps)

  /** '' if it can't be read: the message leaves without it. Throws if the store is temporarily unavailable. */
  async function textOf({ owner, versionId }: Annotation): Promise<string> {
    try {
      const { bytes } = await archive.text({ owner, version: versionId })
      return new TextDecoder().decode(bytes)
    } catch (error) {
      if (isTemporary(error) && error.code.startsWith('store-')) throw error
      onProblem('a message leaves without the text of its page', { owner, version: versionId, error: String(error) })
      return ''
    }
  }

  async function itemOf(group: readonly Annotation[], policy: ProfilePolicy): Promise<MessageItem> {
    const [first, ...others] = group
    const { name: profile, amount, zone } = policy
    // The text of a feed entry is in its change; the text of its version is the whole feed.
    const text = amount === 'full' && first!.entry === '' ? await textOf(first!) : ''
    const item = messageItemOf(first!, { profile, address: address(), amount, zone, text })
    const alsoAt = new Set([...item.alsoAt, ...others.map(({ url }) => url)].map(withoutAccess))
    return { ...item, url: withoutAccess(item.url), alsoAt: [...alsoAt] }
  }

  return {
    async of(channel, { id, kind, createdAt, annotations: ids, leftOut }) {
      const told = await annotations.findAll(ids.slice(0, ids.length - leftOut))
      const policyOf = await policies.of(told.map(({ profile }) => profile))
      const items: MessageItem[] = []
      for (const group of joined(told, agents.get(channel.kind)?.digest ?? plainly)) {
        const policy = policyOf.get(group[0]!.profile) ?? null
        if (policy !== null) items.push(await itemOf(group, policy))
      }
      return { id, kind, at: createdAt, amount: most(policyOf), items, leftOut, links: await linksOf(channel) }
    },
    test: createTestMessages(deps),
  }
}

type LinkDeps = Pick<ContentDeps, 'links' | 'address'>

function createMessageLinks({ links, address }: LinkDeps): (channel: Channel) => Promise<Message['links']> {
  return async (channel) => {
    const base = address().replace(/\/+$/, '')
    const unsubscribe = base === '' ? null : new URL(await links.unsubscribeUrl(channel), `${base}/`).href
    return { inbox: `${base}/inbox`, settings: `${base}/settings/notifications`, unsubscribe }
  }
}

/** Test messages have no items. */
export function createTestMessages(deps: LinkDeps): MessageContents['test'] {
  const linksOf = createMessageLinks(deps)
  return async (channel, id, at) => ({
    ...{ id, kind: 'test', at, amount: 'change', items: [], leftOut: 0 },
    links: await linksOf(channel),
  })
}

/** For a kind of channel that this version doesn't know. */
const plainly: ChannelAgent['digest'] = { maxItems: 1, rest: 'next' }

/** The largest amount that any of the profiles wants. */
function most(policyOf: ReadonlyMap<string, ProfilePolicy | null>): Message['amount'] {
  const wanted = new Set([...policyOf.values()].map((policy) => policy?.amount))
  return amounts.findLast((amount) => wanted.has(amount)) ?? 'change'
}
