import type { Message } from '../../delivery/render/message.ts'
import type { Channel } from '../../store/contracts/channels.ts'
import type { DeliveryStore, StoredMessage } from '../../store/contracts/deliveries.ts'
import type { MessageContents } from './content.ts'
import { type Policies, unlessQuiet } from './policies.ts'

/** A message that is stored but not settled; `at` is when it may be sent. */
export type BegunMessage = { stored: StoredMessage; message: Message; at: number }

export type BegunDeps = {
  deliveries: Pick<DeliveryStore, 'messages'>
  policies: Policies
  contents: Pick<MessageContents, 'of'>
}

/** Quiet hours end within a day. */
const MAX_QUIET_MS = 24 * 3_600_000
const PAGE = 100

/**
 * Finds the begun message to send first: the oldest that may leave now, otherwise the one that may leave soonest. Quiet hours apply to
 * begun messages too, but an urgent one doesn't wait behind others.
 */
export function createBegunMessages({ deliveries, policies, contents }: BegunDeps) {
  /** When the first of its profiles is out of quiet hours. */
  async function quietUntil({ items }: Message, now: number): Promise<number> {
    if (items.length === 0) return now
    const policyOf = await policies.of(items.map(({ record }) => record.profile))
    const times = items.map(({ record, urgency }) => {
      const policy = policyOf.get(record.profile) ?? null
      return policy === null ? now : unlessQuiet(policy, urgency, now)
    })
    return Math.min(now + MAX_QUIET_MS, ...times)
  }

  async function ready(channel: Channel, stored: StoredMessage, now: number): Promise<BegunMessage> {
    const message = await contents.of(channel, stored)
    return { stored, message, at: await quietUntil(message, now) }
  }

  /** Oldest first; the log has the latest first. */
  async function waiting({ owner, id }: Channel): Promise<StoredMessage[]> {
    const found: StoredMessage[] = []
    for (;;) {
      const page = await deliveries.messages(
        owner,
        { state: 'waiting', channel: id },
        { before: found.at(-1) ?? null, limit: PAGE },
      )
      found.push(...page)
      if (page.length < PAGE) return found.reverse()
    }
  }

  /** `oldest`, if known, is tried first: usually there is no other. */
  return async (channel: Channel, now: number, oldest?: StoredMessage): Promise<BegunMessage | null> => {
    let first = oldest === undefined ? null : await ready(channel, oldest, now)
    if (first !== null && first.at <= now) return first
    for (const stored of await waiting(channel)) {
      const next = await ready(channel, stored, now)
      if (next.at <= now) return next
      if (first === null || next.at < first.at) first = next
    }
    return first
  }
}
