import { AppError } from '../../core/errors.ts'
import type { ChannelAgent } from '../../delivery/channel-agent.ts'
import type { Channel, ChannelStore } from '../../store/contracts/channels.ts'
import { namedOwner } from '../accounts/named-owner.ts'
import { listAll, type Users } from '../accounts/users.ts'
import type { AddedChannel, ChannelService, ShownChannel } from './channel-service.ts'
import { type SettingText, settingsOfTexts } from './setting-texts.ts'

/**
 * The channels of all accounts, for the operator of the machine, who has administrator rights. The secret addresses of feeds are shown
 * only when they are added.
 */
export type OperatorChannels = {
  /** `owner` null: the only account. */
  add(owner: string | null, draft: TextDraft): Promise<AddedChannel & { owner: string }>
  /** Channels of one owner, or of all if null. */
  list(owner: string | null): Promise<OwnedChannel[]>
  /** With its secrets, for sending. */
  sendable(id: string): Promise<Channel>
  remove(id: string): Promise<OwnedChannel>
}

export type TextDraft = { kind: string; name: string; settings: readonly SettingText[] }

export type OwnedChannel = Omit<ShownChannel, 'feedUrls'> & { owner: string }

export type OperatorChannelsDeps = {
  users: Pick<Users, 'list' | 'findByEmail'>
  channels: Pick<ChannelStore, 'find'>
  service: Pick<ChannelService, 'add' | 'list' | 'find' | 'sendable' | 'remove'>
  agents: ReadonlyMap<string, ChannelAgent>
}

export function createOperatorChannels({ users, channels, service, agents }: OperatorChannelsDeps): OperatorChannels {
  async function existing(id: string): Promise<Channel> {
    const channel = await channels.find(id)
    if (channel === null) throw unknown(id)
    return channel
  }

  async function listOf(owner: string): Promise<OwnedChannel[]> {
    return (await service.list(owner)).map((channel) => owned(owner, channel))
  }

  return {
    async add(email, { kind, name, settings }) {
      const { email: owner, role } = await namedOwner(users, email)
      const agent = agents.get(kind)
      // It would be stored, but never used.
      if (agent?.isForAdministrators === true && role !== 'administrator')
        throw new AppError('forbidden', `only administrators can use this kind of channel, and ${owner} is not one`)
      const draft = { kind, name, settings: settingsOfTexts(agent?.settings ?? [], settings) }
      return { ...(await service.add({ owner, isAdministrator: true }, draft)), owner }
    },
    async list(email) {
      const owners = email === null ? await listAll(users) : [await namedOwner(users, email)]
      const all: OwnedChannel[] = []
      for (const { email: owner } of owners) all.push(...(await listOf(owner)))
      return all
    },
    async sendable(id) {
      const { owner } = await existing(id)
      const channel = await service.sendable({ owner, isAdministrator: true }, id)
      if (channel === null) throw unknown(id)
      return channel
    },
    async remove(id) {
      const { owner } = await existing(id)
      const channel = await service.find(owner, id)
      if (channel === null || !(await service.remove(owner, id))) throw unknown(id)
      return owned(owner, channel)
    },
  }
}

function owned(owner: string, { feedUrls: _, ...channel }: ShownChannel): OwnedChannel {
  return { ...channel, owner }
}

function unknown(id: string): AppError {
  return new AppError('not-found', `there is no channel ${id}; erace channel list shows them`)
}
