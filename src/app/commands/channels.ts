import type { Engine, Target } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { agents, agentsByKind } from '../../delivery/registry.ts'
import { kindOf } from '../../services/channels/channel-service.ts'
import { createOperatorChannels, type OperatorChannels } from '../../services/channels/operator-channels.ts'
import { openTests } from '../delivery.ts'
import { withStores } from '../engines/open-engine.ts'
import type { TargetStores } from '../engines/target.ts'
import { createChannelParts } from '../server/channel-parts.ts'
import { createAccounts } from '../server/parts.ts'

export const channelKinds: Engine['channelKinds'] = async () => agents.map(kindOf)

export const addChannel: Engine['addChannel'] = (target, { owner, ...draft }) =>
  withChannels(target, (channels) => channels.add(owner, draft))

export const listChannels: Engine['listChannels'] = (target, owner) =>
  withChannels(target, (channels) => channels.list(owner))

export const testChannel: Engine['testChannel'] = (target, id) =>
  withChannels(target, async (channels, stores) => {
    const channel = await channels.sendable(id)
    const { tests, close } = await openTests({ config: target.config, stores, clock: systemClock })
    try {
      return await tests.send(channel)
    } finally {
      await close()
    }
  })

export const removeChannel: Engine['removeChannel'] = (target, id) =>
  withChannels(target, (channels) => channels.remove(id))

function withChannels<T>(
  target: Target,
  work: (channels: OperatorChannels, stores: TargetStores) => Promise<T>,
): Promise<T> {
  const { config } = target
  return withStores(target, 'change', (stores) => {
    const { users } = createAccounts({ stores, config, clock: systemClock, onProblem: () => {} })
    const { service } = createChannelParts({ config, stores, clock: systemClock })
    return work(createOperatorChannels({ users, channels: stores.channels, service, agents: agentsByKind }), stores)
  })
}
