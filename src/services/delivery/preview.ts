import type { Clock } from '../../core/clock.ts'
import type { ChannelAgent } from '../../delivery/channel-agent.ts'
import type { DeliveryStore } from '../../store/contracts/deliveries.ts'
import type { ChannelSending } from '../channels/sending.ts'
import { createBegunMessages } from './begun-message.ts'
import { chooseMessage } from './choice.ts'
import type { MessageContents } from './content.ts'
import type { Policies } from './policies.ts'

export type PreviewDeps = {
  deliveries: Pick<DeliveryStore, 'waiting' | 'sentSince' | 'waitingCounts' | 'messages'>
  agents: ReadonlyMap<string, ChannelAgent>
  contents: Pick<MessageContents, 'of'>
  policies: Policies
  clock: Clock
}

const MAX_ENTRIES = 5_000
const HOUR_MS = 3_600_000
/** Maximum number of due times tried. */
const MAX_STEPS = 50

/** Previews the next message of a channel, from what is known now. */
export function createPreviews({
  deliveries,
  agents,
  contents,
  policies,
  clock,
}: PreviewDeps): ChannelSending['previews'] {
  const findBegun = createBegunMessages({ deliveries, policies, contents })
  return {
    async next(channel) {
      const agent = agents.get(channel.kind)
      const counts = (await deliveries.waitingCounts([channel.id])).get(channel.id)
      if (agent === undefined || counts === undefined) return null
      const now = Math.max(clock.now(), channel.retryAt)
      const begun = counts.messages === 0 ? null : await findBegun(channel, now)
      if (begun !== null) return { at: begun.at, message: begun.message, later: counts.entries + counts.messages - 1 }
      const entries = await deliveries.waiting(channel.id, MAX_ENTRIES)
      const policyOf = await policies.of(entries.map(({ profile }) => profile))
      let at = Math.max(now, Math.min(...entries.map(({ dueAt }) => dueAt)))
      for (let step = 0; step < MAX_STEPS && Number.isFinite(at); step++) {
        const { message: chosen, postpone } = chooseMessage({
          ...{ channel: channel.id, policyOf, digest: agent.digest, now: at, afterFailure: channel.failures > 0 },
          entries: entries.filter(({ dueAt }) => dueAt <= at),
          sent: await deliveries.sentSince(channel.id, at - HOUR_MS),
        })
        if (chosen !== null) {
          const message = await contents.of(channel, { ...chosen, id: '', createdAt: at })
          return { at, message, later: counts.entries - chosen.annotations.length }
        }
        const later = entries.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > at)
        at = Math.min(...later, ...postpone.keys())
      }
      return null
    },
  }
}
