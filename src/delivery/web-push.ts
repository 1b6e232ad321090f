import { createHash, ECDH } from 'node:crypto'
import webPushLibrary from 'web-push'
import { beginning } from '../core/change/shown-text.ts'
import type { ChannelAgent, SendOutcome } from './channel-agent.ts'
import { exchange, outcomeOf } from './http-outcome.ts'
import {
  itemLine,
  leftOutText,
  linkOf,
  type Message,
  onlyItem,
  summaryLine,
  titleOf,
  urgencyOf,
} from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

/** Push services accept 4096 bytes after encryption, some less. */
const MAX_PAYLOAD_BYTES = 3000
/** How long a push service keeps a message for a browser that is not running. */
const KEPT_SECONDS = 7 * 86_400

/** Notifications show no more than this. */
const MAX_LINE = 200

const urgencies = { low: 'low', normal: 'normal', high: 'high', urgent: 'high' } as const

export const webPush: ChannelAgent = {
  kind: 'webpush',
  label: 'This browser',
  about: 'Shows notifications in this browser, or in the installed app, even while its pages are closed.',
  digest: { maxItems: 5, rest: 'count' },
  isByBrowser: true,
  settings: [
    { name: 'endpoint', label: 'Push address', type: 'secret', isRequired: true },
    { name: 'p256dh', label: 'Public key of the browser', type: 'secret', isRequired: true },
    { name: 'auth', label: 'Secret of the browser', type: 'secret', isRequired: true },
  ],
  check(settings) {
    if (!isPoint(textOf(settings, 'p256dh'))) return 'p256dh must be a point of P-256 in base64url'
    if (bytesOf(textOf(settings, 'auth'))?.length !== 16) return 'auth must be 16 bytes in base64url'
    return urlFault(textOf(settings, 'endpoint'))
  },
  async send(message, settings, tools) {
    const { push } = tools
    const endpoint = textOf(settings, 'endpoint')
    const { cipherText } = webPushLibrary.encrypt(
      ...([textOf(settings, 'p256dh'), textOf(settings, 'auth')] as const),
      pushPayload(message),
      'aes128gcm',
    )
    // The token has the real time, not that of `clock`, since push services check it.
    const { Authorization: authorization } = webPushLibrary.getVapidHeaders(
      ...([new URL(endpoint).origin, push.subject, push.publicKey, push.privateKey] as const),
      'aes128gcm',
    )
    const headers = {
      authorization,
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(KEPT_SECONDS),
      urgency: urgencies[urgencyOf(message)],
      // A repeat replaces the same message if it is still queued.
      topic: createHash('sha256').update(message.id).digest('base64url').slice(0, 32),
    }
    return exchange(tools, { url: endpoint, method: 'POST', headers, body: cipherText }, (answer, now) =>
      goneOr(outcomeOf(answer, now), answer.status),
    )
  },
}

/** For 404 and 410: the browser unsubscribed, was removed, or was dropped by its push service. */
function goneOr(outcome: SendOutcome, status: number): SendOutcome {
  if (outcome.kind !== 'never' || (status !== 404 && status !== 410)) return outcome
  return { ...outcome, reason: `this browser is no longer subscribed (${outcome.reason})`, isGone: true }
}

/** The payload that the UI's service worker shows (`ui/src/sw`). */
export function pushPayload(message: Message): string {
  const { id, kind, items } = message
  const item = onlyItem(message)
  const lines =
    kind === 'test'
      ? ['Notifications will appear like this one.']
      : item === null
        ? items.map((each) => itemLine(each))
        : [summaryLine(item)]
  const rest = leftOutText(message)
  if (rest !== '') lines.push(rest)
  const payload = (room: number): string =>
    JSON.stringify({
      ...{ id: id.slice(0, 100), title: titleOf(message) },
      body: lines
        .map((line) => beginning(line, MAX_LINE))
        .join('\n')
        .slice(0, room)
        .toWellFormed(),
      url: linkOf(message).slice(0, 800),
    })
  let room = 1500
  while (room > 0 && Buffer.byteLength(payload(room)) > MAX_PAYLOAD_BYTES) room -= 100
  return payload(room)
}

function bytesOf(text: string): Buffer | null {
  return /^[\w-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null
}

function isPoint(text: string): boolean {
  const bytes = bytesOf(text)
  if (bytes?.length !== 65) return false
  try {
    ECDH.convertKey(bytes, 'prime256v1')
    return true
  } catch {
    return false
  }
}
