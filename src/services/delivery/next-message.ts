import type { Clock } from '../../core/clock.ts'
import type { ChannelAgent } from '../../delivery/channel-agent.ts'
import { type Message, subjectOf } from '../../delivery/render/message.ts'
import type { Channel } from '../../store/contracts/channels.ts'
import type { ChannelLease, DeliveryStore, StoredMessage } from '../../store/contracts/deliveries.ts'
import { chooseMessage } from './choice.ts'
import type { MessageContents } from './content.ts'
import { newMessageId } from './message-id.ts'
import { type Policies, unlessQuiet } from './policies.ts'

export type NextMessage =
  /** Written down, and may leave now. */
  | { kind: 'message'; stored: Pick<StoredMessage, 'id' | 'createdAt' | 'attempts'>; message: Message }
  /** Nothing may leave; a message that was begun waits until `notBefore`, 0 where there is none. */
  | { kind: 'none'; notBefore: number }
  /** Another process has the channel now. */
  | { kind: 'lost' }

export type NextMessageDeps = {
  deliveries: DeliveryStore
  agents: ReadonlyMap<string, ChannelAgent>
  policies: Policies
  contents: Pick<MessageContents, 'of'>
  clock: Clock
}

/** More than this many entries leave in several messages. */
const MAX_ENTRIES = 5_000
/** Messages that can wait on a channel at once: one in quiet hours, and urgent ones that failed. */
const MAX_BEGUN = 20
const HOUR_MS = 3_600_000

/** Finds the message that a leased channel sends next: the one that was begun, or one of what is due. */
export function createNextMessage({ deliveries, agents, policies, contents, clock }: NextMessageDeps) {
  async function begun(channel: Channel): Promise<NextMessage> {
    const filter = { state: 'waiting', channel: channel.id } as const
    const waiting = await deliveries.messages(channel.owner, filter, { before: null, limit: MAX_BEGUN })
    let notBefore = 0
    for (const stored of waiting.toReversed()) {
      const message = await contents.of(channel, stored)
      const until = await quietUntil(message)
      if (until <= clock.now()) return { kind: 'message', stored, message }
      notBefore = notBefore === 0 ? until : Math.min(notBefore, until)
    }
    return { kind: 'none', notBefore }
  }

  /** When the first of its profiles may hear of it. */
  async function quietUntil({ items }: Message): Promise<number> {
    const now = clock.now()
    const policyOf = await policies.of(items.map(({ record }) => record.profile))
    const times = items.map(({ record, urgency }) => {
      const policy = policyOf.get(record.profile) ?? null
      return policy === null ? now : unlessQuiet(policy, urgency, now)
    })
    return Math.min(now + HOUR_MS * 24, ...(times.length === 0 ? [now] : times))
  }

  async function composed(lease: ChannelLease, channel: Channel, afterFailure: boolean): Promise<NextMessage> {
    const agent = agents.get(channel.kind)
    for (;;) {
      const now = clock.now()
      const entries = await deliveries.due(lease, { now, limit: MAX_ENTRIES })
      if (entries.length === 0) return { kind: 'none', notBefore: 0 }
      const policyOf = await policies.of(entries.map(({ profile }) => profile))
      const isLimited = [...policyOf.values()].some((policy) => policy !== null && policy.perHour !== null)
      const isSent = agent !== undefined && agent.isPull !== true
      const {
        message: chosen,
        drop,
        postpone,
      } = isSent
        ? chooseMessage({
            ...{ channel: channel.id, entries, policyOf, digest: agent.digest, afterFailure, now },
            sent: isLimited ? await deliveries.sentSince(channel.id, now - HOUR_MS) : [],
          })
        : { message: null, drop: entries.map(({ annotation }) => annotation), postpone: new Map<number, number[]>() }
      for (const [until, annotations] of postpone)
        if (!(await deliveries.postpone(lease, annotations, until))) return { kind: 'lost' }
      if (chosen === null) {
        if (!(await deliveries.compose(lease, null, drop))) return { kind: 'lost' }
        continue
      }
      const draft = { ...chosen, id: newMessageId(), createdAt: now }
      const message = await contents.of(channel, draft)
      const subject = subjectOf(message)
      if (!(await deliveries.compose(lease, { ...draft, subject }, drop))) return { kind: 'lost' }
      return { kind: 'message', stored: { id: draft.id, createdAt: now, attempts: 0 }, message }
    }
  }

  return async (lease: ChannelLease, channel: Channel, afterFailure: boolean): Promise<NextMessage> => {
    const found: NextMessage =
      (await deliveries.begun(lease)) === null ? { kind: 'none', notBefore: 0 } : await begun(channel)
    if (found.kind !== 'none') return found
    const next = await composed(lease, channel, afterFailure)
    return next.kind === 'none' ? found : next
  }
}
