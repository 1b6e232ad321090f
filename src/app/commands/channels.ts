import type { Engine, Target } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { agents, agentsByKind } from '../../delivery/registry.ts'
import { kindOf } from '../../services/channels/channel-service.ts'
import { createOperatorChannels, type OperatorChannels } from '../../services/channels/operator-channels.ts'
import { noSending } from '../../services/channels/sending.ts'
import { withStores } from '../engines/open-engine.ts'
import { createChannelParts } from '../server/channel-parts.ts'
import { createAccounts } from '../server/parts.ts'

export const channelKinds: Engine['channelKinds'] = async () => agents.map(kindOf)

export const addChannel: Engine['addChannel'] = (target, { owner, ...draft }) =>
  withChannels(target, (channels) => channels.add(owner, draft))

export const listChannels: Engine['listChannels'] = (target, owner) =>
  withChannels(target, (channels) => channels.list(owner))

export const testChannel: Engine['testChannel'] = (target, id) =>
  withChannels(target, async (channels) => noSending.tests.send(await channels.sendable(id)))

export const removeChannel: Engine['removeChannel'] = (target, id) =>
  withChannels(target, (channels) => channels.remove(id))

function withChannels<T>(target: Target, work: (channels: OperatorChannels) => Promise<T>): Promise<T> {
  const { config } = target
  return withStores(target, 'change', (stores) => {
    const { users } = createAccounts({ stores, config, clock: systemClock, onProblem: () => {} })
    const { service } = createChannelParts({ config, stores, clock: systemClock })
    return work(createOperatorChannels({ users, channels: stores.channels, service, agents: agentsByKind }))
  })
}
