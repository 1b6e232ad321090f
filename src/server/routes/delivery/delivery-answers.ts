import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { ChannelKind as Kind, ShownChannel } from '../../../services/channels/channel-service.ts'
import { type NextMessage as Next, shownMessage } from '../../../services/channels/sending.ts'
import type { FeedFormat } from '../../../services/delivery/secret-links.ts'
import type { StoredMessage } from '../../../store/contracts/deliveries.ts'
import { addressOf } from '../../http/server-address.ts'
import type { Channel, ChannelKind, Delivery, NextMessage } from '../../schemas/delivery.ts'

const timeOf = (ms: number): string => new Date(ms).toISOString()
/** 0 means never. */
const maybeTimeOf = (ms: number): string | null => (ms === 0 ? null : timeOf(ms))

/** Feed URLs are absolute if the server knows its own URL. */
export function channelAnswer(request: FastifyRequest, channel: ShownChannel): Static<typeof Channel> {
  const { id, kind, name, state, reason, failures, retryAt, sentAt, createdAt, feedUrls } = channel
  const { settings, waiting, nextAt, profiles } = channel
  return {
    ...{ id, kind, name, state, reason, failures },
    ...{ retryAt: maybeTimeOf(retryAt), sentAt: maybeTimeOf(sentAt), createdAt: timeOf(createdAt) },
    ...{ settings, waiting, nextAt: maybeTimeOf(nextAt), profiles: [...profiles] },
    ...(feedUrls !== undefined && { feedUrls: feedUrlsAnswer(request, feedUrls) }),
  }
}

export function feedUrlsAnswer(request: FastifyRequest, { atom, rss, json }: Record<FeedFormat, string>) {
  const whole = (url: string): string => (url.startsWith('/') ? `${addressOf(request, '')}${url}` : url)
  return { atom: whole(atom), rss: whole(rss), json: whole(json) }
}

export function kindAnswer(of: Kind): Static<typeof ChannelKind> {
  const { kind, label, about, isPull, isByBrowser, publicKey, settings } = of
  return {
    ...{ kind, label, about },
    ...(isPull && { isPull }),
    ...(isByBrowser && { isByBrowser }),
    ...(publicKey !== undefined && { publicKey }),
    settings: settings.map(({ name, label, hint, type, isRequired, choices, usual }) => ({
      ...{ name, label, type },
      ...(hint !== undefined && { hint }),
      ...(isRequired === true && { isRequired }),
      ...(choices !== undefined && { choices: [...choices] }),
      ...(usual !== undefined && { usual }),
    })),
  }
}

export function deliveryAnswer(message: StoredMessage): Static<typeof Delivery> {
  const { id, channel, kind, state, subject, attempts, createdAt, at, answer, annotations, profiles, leftOut } = message
  return {
    ...{ id, channel, kind, state, subject, attempts, answer, leftOut },
    ...{ createdAt: timeOf(createdAt), at: maybeTimeOf(at) },
    ...{ annotations: [...annotations], profiles: [...profiles] },
  }
}

export function nextAnswer(next: Next | null): Static<typeof NextMessage> {
  if (next === null) return { next: null }
  const { at, items, ...message } = shownMessage(next)
  return {
    next: { ...message, at: timeOf(at), items: items.map(({ alsoAt, ...item }) => ({ ...item, alsoAt: [...alsoAt] })) },
  }
}
