import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { ChannelAgent } from '../../delivery/channel-agent.ts'
import { type Message, subjectOf } from '../../delivery/render/message.ts'
import type { Channel } from '../../store/contracts/channels.ts'
import type { ChannelLease, DeliveryStore, DueEntry, StoredMessage } from '../../store/contracts/deliveries.ts'
import { createBegunMessages } from './begun-message.ts'
import { type Choice, chooseMessage } from './choice.ts'
import type { MessageContents } from './content.ts'
import { newMessageId } from './message-id.ts'
import type { Policies } from './policies.ts'

export type NextMessage =
  /** Stored, and may leave now. `isLast` if nothing else of the channel was due. */
  | {
      kind: 'message'
      stored: Pick<StoredMessage, 'id' | 'createdAt' | 'attempts'>
      message: Message
      isLast: boolean
    }
  /** Nothing may leave. A begun message waits until `notBefore`; 0 if there is none. */
  | { kind: 'none'; notBefore: number }
  /** Another process now holds the channel. */
  | { kind: 'lost' }

export type NextMessageDeps = {
  deliveries: DeliveryStore
  agents: ReadonlyMap<string, ChannelAgent>
  policies: Policies
  contents: Pick<MessageContents, 'of'>
  clock: Clock
}

/** Maximum number of entries considered for one message. */
const MAX_ENTRIES = 5_000

const HOUR_MS = 3_600_000

/** Finds the next message of a leased channel: the one already begun, or a new one from due entries. */
export function createNextMessage({ deliveries, agents, policies, contents, clock }: NextMessageDeps) {
  const findBegun = createBegunMessages({ deliveries, policies, contents })

  async function begun(lease: ChannelLease, channel: Channel): Promise<NextMessage> {
    const oldest = await deliveries.begun(lease)
    if (oldest === null) return { kind: 'none', notBefore: 0 }
    const now = clock.now()
    const found = await findBegun(channel, now, oldest)
    return found === null || found.at > now
      ? { kind: 'none', notBefore: found?.at ?? 0 }
      : { kind: 'message', ...found, isLast: false }
  }

  async function choose(
    { id, kind }: Channel,
    entries: readonly DueEntry[],
    { now, afterFailure }: { now: number; afterFailure: boolean },
  ): Promise<Choice> {
    const agent = agents.get(kind)
    if (agent === undefined)
      throw new AppError('not-available', `this version of eRACE has no channels of kind ${kind}`)
    if (agent.isPull === true)
      return { message: null, drop: entries.map(({ annotation }) => annotation), postpone: new Map() }
    const policyOf = await policies.of(entries.map(({ profile }) => profile))
    const isLimited = [...policyOf.values()].some((policy) => policy !== null && policy.perHour !== null)
    const sent = isLimited ? await deliveries.sentSince(id, now - HOUR_MS) : []
    return chooseMessage({ channel: id, entries, policyOf, digest: agent.digest, sent, afterFailure, now })
  }

  async function composed(lease: ChannelLease, channel: Channel, afterFailure: boolean): Promise<NextMessage> {
    const limit = limitOf(agents.get(channel.kind))
    for (;;) {
      const now = clock.now()
      const entries = await deliveries.due(lease, { now, limit })
      if (entries.length === 0) return { kind: 'none', notBefore: 0 }
      const { message: chosen, drop, postpone } = await choose(channel, entries, { now, afterFailure })
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
      const stored = { id: draft.id, createdAt: now, attempts: 0 }
      const settled = chosen.annotations.length + drop.length + [...postpone.values()].flat().length
      return { kind: 'message', stored, message, isLast: settled === entries.length && settled < limit }
    }
  }

  return async (lease: ChannelLease, channel: Channel, afterFailure: boolean): Promise<NextMessage> => {
    const found = await begun(lease, channel)
    if (found.kind !== 'none') return found
    const next = await composed(lease, channel, afterFailure)
    if (next.kind === 'none') return found
    // Look again at the begun message that has to wait, for its time.
    return next.kind === 'message' && found.notBefore > 0 ? { ...next, isLast: false } : next
  }
}

/** Number of entries to choose from. If the rest follows in another message, the first ones are enough. */
function limitOf(agent: ChannelAgent | undefined): number {
  return agent?.digest.rest === 'next' ? Math.min(MAX_ENTRIES, agent.digest.maxItems * 2) : MAX_ENTRIES
}
