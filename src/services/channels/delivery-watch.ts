import type { Channel } from '../../store/contracts/channels.ts'
import type { DeliveryStore } from '../../store/contracts/deliveries.ts'

/**
 * Observes what one process sends through its writes to the store: how many messages of each kind of channel arrived or failed, and
 * which channels start to fail or recover.
 */
export type DeliveryWatch = {
  /** The store to send with. */
  deliveries: DeliveryStore
  /** Since the process started. `retried` are failures after which a message still waits. */
  counts(): DeliveryCount[]
  /** The listener is called when the state of a channel changes. */
  onState(listener: (change: { owner: string; id: string }) => void): void
}

export type DeliveryCount = { kind: string; outcome: 'sent' | 'failed' | 'retried'; count: number }

type Leased = Pick<Channel, 'owner' | 'kind' | 'state'>

const outcomes = { sent: 'sent', failed: 'failed', waiting: 'retried' } as const

export function createDeliveryWatch(deliveries: DeliveryStore): DeliveryWatch {
  const leased = new Map<string, Leased>()
  const counted = new Map<string, DeliveryCount>()
  const listeners: ((change: { owner: string; id: string }) => void)[] = []

  function count(kind: string, outcome: DeliveryCount['outcome']): void {
    const key = `${kind} ${outcome}`
    const known = counted.get(key) ?? { kind, outcome, count: 0 }
    counted.set(key, { ...known, count: known.count + 1 })
  }

  return {
    counts: () => [...counted.values()],
    onState: (listener) => void listeners.push(listener),
    deliveries: {
      ...deliveries,
      async lease(options) {
        const found = await deliveries.lease(options)
        for (const { channel } of found) leased.set(channel.id, channel)
        return found
      },
      async release(lease, ...rest) {
        leased.delete(lease.channel)
        return deliveries.release(lease, ...rest)
      },
      async settle(lease, id, end, health) {
        const isDone = await deliveries.settle(lease, id, end, health)
        const channel = leased.get(lease.channel)
        if (!isDone || channel === undefined) return isDone
        count(channel.kind, outcomes[end.state])
        if (health.state !== channel.state) {
          leased.set(lease.channel, { ...channel, state: health.state })
          for (const listener of listeners) listener({ owner: channel.owner, id: lease.channel })
        }
        return isDone
      },
    },
  }
}
