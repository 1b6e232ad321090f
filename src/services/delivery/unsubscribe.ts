import type { ChannelStore } from '../../store/contracts/channels.ts'
import type { SecretLinks } from './secret-links.ts'

/** Switches channels off by the links in their messages. */
export type Unsubscribe = {
  isValid(secret: string): Promise<boolean>
  /** Returns false for a wrong secret. Idempotent. */
  switchOff(secret: string): Promise<boolean>
}

export type UnsubscribeDeps = { links: Pick<SecretLinks, 'find'>; channels: Pick<ChannelStore, 'note'> }

const REASON = 'Switched off by the unsubscribe link in a message'

export function createUnsubscribe({ links, channels }: UnsubscribeDeps): Unsubscribe {
  return {
    isValid: async (secret) => (await links.find('unsubscribe', secret)) !== null,
    async switchOff(secret) {
      const channel = await links.find('unsubscribe', secret)
      if (channel === null) return false
      const { state, failures, sentAt } = channel
      if (state !== 'off')
        await channels.note(channel.id, { state: 'off', reason: REASON, failures, retryAt: 0, sentAt })
      return true
    },
  }
}
