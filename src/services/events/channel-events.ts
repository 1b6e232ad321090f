import type { ClusterEvents } from '../../store/contracts/cluster/events.ts'
import type { EventHub } from './event-hub.ts'

/** Notifies an owner's listeners, here and in other processes, that a channel was added, changed or removed. They read it again. */
export type ChannelEvents = { tell(owner: string, id: string): void }

export type ChannelEventsDeps = {
  hub: Pick<EventHub, 'publish'>
  /** The other processes; omitted if there are none. `node` names this one among them. */
  shared?: { events: Pick<ClusterEvents, 'listen' | 'notify'>; node: string }
  onProblem(message: string, fields: Record<string, unknown>): void
}

const CHANNEL = 'channels'

type Word = { from: string; owner: string; id: string }

export function createChannelEvents({ hub, shared, onProblem }: ChannelEventsDeps): ChannelEvents {
  const publish = (owner: string, id: string): void => hub.publish(owner, { name: 'channel', data: { id } })
  shared?.events.listen(CHANNEL, (payload) => {
    if (payload === null) return
    const { from, owner, id } = JSON.parse(payload) as Word
    if (from !== shared.node) publish(owner, id)
  })
  return {
    tell(owner, id) {
      publish(owner, id)
      shared?.events
        .notify(CHANNEL, JSON.stringify({ from: shared.node, owner, id } satisfies Word))
        .catch((error) => onProblem('a changed channel could not be told to other processes', { error: String(error) }))
    },
  }
}
