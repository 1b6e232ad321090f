import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ServerSecretStore } from '../../store/contracts/accounts/server-secrets.ts'
import type { Channel, ChannelStore } from '../../store/contracts/channels.ts'

/**
 * Links that need no sign-in: anyone who has one may read a feed, or switch a channel off. A secret is the id of the channel and a
 * signature over id, purpose and generation, so nothing has to be stored, and raising the generation revokes all earlier links. All
 * servers of a store sign with the same key.
 */
export type SecretLinks = {
  /** Absolute if the address of the server is known, otherwise relative. */
  unsubscribeUrl(channel: SignedChannel): Promise<string>
  feedUrls(channel: SignedChannel): Promise<Record<FeedFormat, string>>
  /** The channel of a secret; null for a wrong one. A wrong secret takes as long as one of a channel that doesn't exist. */
  find(purpose: LinkPurpose, secret: string): Promise<Channel | null>
  /** A stable UUID for a name, different on every other service: for entries of feeds. */
  uuidOf(name: string): Promise<string>
}

export type LinkPurpose = 'feed' | 'unsubscribe'

export const feedFormats = ['atom', 'rss', 'json'] as const
export type FeedFormat = (typeof feedFormats)[number]

type SignedChannel = Pick<Channel, 'id' | 'settings'>

export type SecretLinkDeps = {
  secrets: ServerSecretStore
  channels: Pick<ChannelStore, 'find'>
  /** The public address of the server; '' if unknown. */
  address(): string
}

const KEY_BYTES = 32
/** The signature has a fixed length, so ids may contain dashes. */
const secretForm = /^([\w-]{1,64})-([\w-]{43})$/
const nobody: SignedChannel = { id: '', settings: {} }

export function createSecretLinks({ secrets, channels, address }: SecretLinkDeps): SecretLinks {
  let key: Promise<KeyObject> | null = null

  async function sign(text: string): Promise<Buffer> {
    key ??= secrets.agree('links', randomBytes(KEY_BYTES)).then(createSecretKey, (error: unknown) => {
      key = null
      throw error
    })
    return createHmac('sha256', await key)
      .update(text)
      .digest()
  }

  const signatureOf = (purpose: LinkPurpose, { id, settings }: SignedChannel): Promise<Buffer> =>
    sign(JSON.stringify([purpose, id, generationOf(settings)]))

  async function urlOf(path: string, purpose: LinkPurpose, channel: SignedChannel): Promise<string> {
    const signature = await signatureOf(purpose, channel)
    return `${address().replace(/\/+$/, '')}/${path}/${channel.id}-${signature.toString('base64url')}`
  }

  return {
    unsubscribeUrl: (channel) => urlOf('unsubscribe', 'unsubscribe', channel),
    async feedUrls(channel) {
      const url = await urlOf('feeds', 'feed', channel)
      return { atom: `${url}.atom`, rss: `${url}.rss`, json: `${url}.json` }
    },
    async find(purpose, secret) {
      const [, id, signature] = secretForm.exec(secret) ?? []
      if (id === undefined || signature === undefined) return null
      const channel = await channels.find(id)
      const expected = await signatureOf(purpose, channel ?? nobody)
      const given = Buffer.from(signature, 'base64url')
      return given.byteLength === expected.byteLength && timingSafeEqual(given, expected) ? channel : null
    },
    async uuidOf(name) {
      const bytes = (await sign(JSON.stringify(['uuid', name]))).subarray(0, 16)
      // RFC 9562: version 8, for custom UUIDs.
      bytes[6] = (bytes[6]! & 0x0f) | 0x80
      bytes[8] = (bytes[8]! & 0x3f) | 0x80
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}

/** How often the links of a channel were renewed. */
export function generationOf(settings: Channel['settings']): number {
  const generation = Object.hasOwn(settings, 'generation') ? settings.generation : 0
  return typeof generation === 'number' && Number.isSafeInteger(generation) ? generation : 0
}
