import type { Clock } from '../../core/clock.ts'
import { subjectOf } from '../../delivery/render/message.ts'
import type { Channel, ChannelStore } from '../../store/contracts/channels.ts'
import type { DeliveryStore } from '../../store/contracts/deliveries.ts'
import type { ChannelSending } from '../channels/sending.ts'
import type { MessageContents } from './content.ts'
import { newMessageId } from './message-id.ts'
import type { Sender } from './sender.ts'

export type TestSenderDeps = {
  send: Sender
  contents: Pick<MessageContents, 'test'>
  channels: Pick<ChannelStore, 'change' | 'find'>
  deliveries: Pick<DeliveryStore, 'log'>
  clock: Clock
}

/** Sends test messages at once, bypassing the queue, and logs them. A delivered test makes a failing channel active again. */
export function createTestSender({
  send,
  contents,
  channels,
  deliveries,
  clock,
}: TestSenderDeps): ChannelSending['tests'] {
  /** A channel that its owner switched off stays off. */
  async function resume({ owner, id }: Channel): Promise<void> {
    const current = await channels.find(id)
    if (current !== null && current.state !== 'off' && current.failures > 0)
      await channels.change(owner, id, { state: 'active' })
  }

  return {
    async send(channel) {
      const createdAt = clock.now()
      const message = await contents.test(channel, newMessageId(), createdAt)
      const outcome = await send(channel, message)
      const isDelivered = outcome.kind === 'delivered'
      const answer = isDelivered ? outcome.answer : outcome.reason
      await deliveries.log({
        ...{ id: message.id, kind: 'test', subject: subjectOf(message), annotations: [], profiles: [], leftOut: 0 },
        ...{ channel: channel.id, owner: channel.owner, state: isDelivered ? 'sent' : 'failed' },
        ...{ createdAt, attempts: 1, at: clock.now(), answer },
      })
      if (isDelivered) await resume(channel)
      return { outcome: outcome.kind, answer }
    },
  }
}
