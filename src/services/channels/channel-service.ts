import { randomBytes } from 'node:crypto'
import { InvalidInputError, type ValidationError } from '../../config/validation-errors.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { pushChannels } from '../../core/profile.ts'
import type { ChannelAgent, SettingField, Settings } from '../../delivery/channel-agent.ts'
import { shownSettings } from '../../delivery/settings.ts'
import type { Channel, ChannelStore } from '../../store/contracts/channels.ts'
import type { DeliveryStore } from '../../store/contracts/deliveries.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { FeedFormat, SecretLinks } from '../delivery/secret-links.ts'
import { eachProfile } from '../profiles/profile-import.ts'
import type { ProfileService } from '../profiles/profile-service.ts'
import { type ChannelOwner, createSettingsReader, type SettingsReaderDeps } from './channel-settings.ts'
import type { TargetCheck } from './target-check.ts'

/**
 * The delivery channels of one owner at a time; those of others are treated as missing. Results contain no secrets. Validation errors
 * are thrown together, as `request-invalid`.
 */
export type ChannelService = {
  /** The kinds of channels that this owner may add. */
  kinds(who: ChannelOwner): Promise<ChannelKind[]>
  list(owner: string): Promise<ShownChannel[]>
  find(owner: string, id: string): Promise<ShownChannel | null>
  /** With its secrets, for sending. */
  stored(owner: string, id: string): Promise<Channel | null>
  /** Like `stored`, but throws if the owner may not use it or nothing can be sent to it. */
  sendable(who: ChannelOwner, id: string): Promise<Channel | null>
  add(who: ChannelOwner, draft: NewChannel): Promise<AddedChannel>
  /** Null if the owner has no such channel. */
  change(who: ChannelOwner, id: string, to: ChannelChanges): Promise<SavedChannel | null>
  /** Also removes it from the owner's profiles. Returns false if there is none. */
  remove(owner: string, id: string): Promise<boolean>
}

export type ChannelKind = Pick<ChannelAgent, 'kind' | 'label' | 'about'> & {
  isPull: boolean
  isByBrowser: boolean
  /** Key by which a browser recognises messages of this service. */
  publicKey?: string
  settings: readonly Omit<SettingField, 'fresh' | 'isHidden'>[]
}

export type NewChannel = { kind: string; name: string; settings: unknown }

/** Secrets that the settings leave out keep their values. */
export type ChannelChanges = { name?: string; settings?: unknown; state?: 'active' | 'off' }

export type ShownChannel = Omit<Channel, 'owner' | 'settings'> & {
  settings: Record<string, unknown>
  /** Annotations and messages not sent yet. */
  waiting: number
  /** When the next message can leave; 0 for none. */
  nextAt: number
  /** Ids of the owner's profiles that use it. */
  profiles: readonly string[]
  feedUrls?: Record<FeedFormat, string>
}

/** `warnings`: settings that are stored but don't work at the moment. */
export type SavedChannel = { channel: ShownChannel; warnings: readonly string[] }

/** `secret` was generated here, and is shown only once. */
export type AddedChannel = SavedChannel & { secret: string | null }

export type ChannelServiceDeps = {
  stores: {
    channels: ChannelStore
    deliveries: Pick<DeliveryStore, 'waitingCounts'>
    profiles: Pick<ProfileStore, 'list' | 'find'>
  }
  agents: ReadonlyMap<string, ChannelAgent>
  profiles: Pick<ProfileService, 'dropChannel'>
  service: SettingsReaderDeps['service']
  targets: TargetCheck
  links: Pick<SecretLinks, 'feedUrls'>
  /** Key by which browsers recognise messages of this service. */
  pushKey(): Promise<string>
  clock: Clock
  /** A channel was added, changed or removed. */
  onChange?(owner: string, id: string): void
}

export const channelLimits = { perOwner: 50, nameLength: 100 }

export function createChannelService(deps: ChannelServiceDeps): ChannelService {
  const { agents, profiles, service, targets, links, pushKey, clock, onChange } = deps
  const { channels, deliveries, profiles: profileStore } = deps.stores
  const readSettingsOf = createSettingsReader({
    ...{ service, targets },
    hasProfile: async (owner, id) => (await profileStore.find(id))?.owner === owner,
  })
  let before: Promise<unknown> = Promise.resolve()

  /** One at a time, so that limits hold for concurrent requests. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = before.then(work)
    before = result.catch(() => {})
    return result
  }

  async function ownOf(owner: string, id: string): Promise<Channel | null> {
    const channel = await channels.find(id)
    return channel?.owner === owner ? channel : null
  }

  function agentFor({ isAdministrator }: ChannelOwner, kind: string): ChannelAgent {
    const agent = agents.get(kind)
    if (agent === undefined) throw invalid([{ place: 'kind', message: `expected ${[...agents.keys()].join(', ')}` }])
    if (agent.isForAdministrators === true && !isAdministrator)
      throw new AppError('forbidden', 'only administrators can use this kind of channel')
    return agent
  }

  async function shown(owner: string, list: readonly Channel[]): Promise<ShownChannel[]> {
    const counts = await deliveries.waitingCounts(list.map(({ id }) => id))
    const users = await usersOf(owner, list)
    return Promise.all(
      list.map(async ({ owner: _, settings, ...channel }) => {
        const agent = agents.get(channel.kind)
        const { entries = 0, messages = 0, nextAt = 0 } = counts.get(channel.id) ?? {}
        return {
          ...channel,
          settings: agent === undefined ? {} : shownSettings(agent, settings as Settings),
          ...{ waiting: entries + messages, nextAt },
          profiles: users.get(channel.id) ?? [],
          ...(agent?.kind === 'feed' && { feedUrls: await links.feedUrls({ id: channel.id, settings }) }),
        }
      }),
    )
  }

  async function usersOf(owner: string, list: readonly Channel[]): Promise<Map<string, string[]>> {
    const users = new Map<string, string[]>(list.map(({ id }) => [id, []]))
    if (list.length === 0) return users
    for await (const { id, delivery } of eachProfile(profileStore, owner))
      for (const channel of pushChannels(delivery)) users.get(channel)?.push(id)
    return users
  }

  async function shownOne(channel: Channel): Promise<ShownChannel> {
    return (await shown(channel.owner, [channel]))[0]!
  }

  return {
    async kinds({ isAdministrator }) {
      const open = [...agents.values()].filter((agent) => isAdministrator || agent.isForAdministrators !== true)
      const publicKey = await pushKey()
      return open.map((agent) => ({ ...kindOf(agent), ...(agent.isByBrowser === true && { publicKey }) }))
    },
    list: async (owner) => shown(owner, await channels.list(owner)),
    async find(owner, id) {
      const channel = await ownOf(owner, id)
      return channel === null ? null : shownOne(channel)
    },
    stored: ownOf,
    async sendable(who, id) {
      const channel = await ownOf(who.owner, id)
      if (channel === null) return null
      const agent = agentFor(who, channel.kind)
      if (agent.isPull === true)
        throw new AppError('request-invalid', 'readers fetch this channel; nothing is sent to it')
      return channel
    },
    async add(who, { kind, name: given, settings: values }) {
      const agent = agentFor(who, kind)
      const { name, errors } = readName(given)
      const read = await readSettingsOf(agent, who, values, null)
      if (read.kind === 'invalid' || errors.length > 0)
        throw invalid([...errors, ...(read.kind === 'invalid' ? read.errors : [])])
      const { settings, made } = read
      const channel = await inTurn(async () => {
        if ((await channels.list(who.owner)).length >= channelLimits.perOwner)
          throw new AppError('request-invalid', `the limit is ${channelLimits.perOwner} channels; remove one first`)
        const draft = { id: newChannelId(), owner: who.owner, kind, name, settings, createdAt: clock.now() }
        return channels.add(draft)
      })
      onChange?.(who.owner, channel.id)
      const secret = Object.values(made)[0] ?? null
      return { channel: await shownOne(channel), secret, warnings: await targets.warnings(agent, settings) }
    },
    async change(who, id, { name: given, settings: values, state }) {
      const channel = await ownOf(who.owner, id)
      if (channel === null) return null
      const agent = agentFor(who, channel.kind)
      const named = given === undefined ? null : readName(given)
      const known = channel.settings as Settings
      const read = values === undefined ? null : await readSettingsOf(agent, who, values, known)
      const errors = [...(named?.errors ?? []), ...(read?.kind === 'invalid' ? read.errors : [])]
      if (errors.length > 0) throw invalid(errors)
      const settings = read?.kind === 'read' ? read.settings : undefined
      const isDone = await channels.change(who.owner, id, {
        ...(named !== null && { name: named.name }),
        ...(settings !== undefined && { settings }),
        ...(state !== undefined && { state }),
      })
      const changed = isDone ? await ownOf(who.owner, id) : null
      if (changed === null) return null
      onChange?.(who.owner, id)
      const warnings = settings === undefined ? [] : await targets.warnings(agent, settings)
      return { channel: await shownOne(changed), warnings }
    },
    async remove(owner, id) {
      if ((await ownOf(owner, id)) === null) return false
      // Profiles first, so that none ever names a missing channel. After an interruption the removal can be repeated.
      await profiles.dropChannel(owner, id)
      const isRemoved = await channels.remove(owner, id)
      if (isRemoved) onChange?.(owner, id)
      return isRemoved
    },
  }
}

export function kindOf({
  kind,
  label,
  about,
  isPull = false,
  isByBrowser = false,
  settings,
}: ChannelAgent): ChannelKind {
  return { kind, label, about, isPull, isByBrowser, settings: settings.filter(({ isHidden }) => isHidden !== true) }
}

function readName(given: string): { name: string; errors: ValidationError[] } {
  const name = given.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ').trim()
  const wrong =
    name === ''
      ? 'is empty'
      : name.length > channelLimits.nameLength
        ? `is longer than ${channelLimits.nameLength} characters`
        : null
  return { name, errors: wrong === null ? [] : [{ place: 'name', message: wrong }] }
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** 80 random bits. */
function newChannelId(): string {
  return `c_${[...randomBytes(16)].map((byte) => letters[byte & 31]).join('')}`
}

function invalid(errors: readonly ValidationError[]): InvalidInputError {
  return new InvalidInputError('request-invalid', errors)
}
