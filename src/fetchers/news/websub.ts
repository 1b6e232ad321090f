import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'

/**
 * A WebSub subscriber (W3C Recommendation): the hub of a feed calls back when there is news. A delivery is only a hint to check:
 * the feed itself is fetched as usual, so that a hub can't forge its content.
 *
 * asked ──verified──> active ──lease nearly over──> renewing ──verified──> active
 *   └── refused, or not verified in time ──> gone        └── lease over ──> gone
 */
export type Subscription = { hub: string; topic: string; callback: string; secret: string }

/** Sends a form to a hub; resolves to the status. Hubs are untrusted: the address guard applies. */
export type SendForm = (url: string, form: string) => Promise<number>

export type WebSubDeps = {
  /** Public URL of this server, as hubs reach it, without a trailing slash. */
  publicUrl: string
  send: SendForm
  clock: Clock
  /** A hub reported news in a topic. */
  onNews(topic: string): void
  /** The hub verified a subscription and reports news from now on. */
  onActive?(topic: string): void
  /** A subscription ended without `unsubscribe`. */
  onEnd?(topic: string, error: AppError): void
  /** For several servers with one public URL: hubs may call any of them, and the others notify the one that subscribed. */
  shared?: { key: Uint8Array; tellOthers(message: string): void }
}

export type WebSub = {
  /** Subscribes; does nothing if a subscription at this hub is active or requested. */
  subscribe(hub: string, topic: string): Promise<void>
  unsubscribe(topic: string): Promise<void>
  /** Renews subscriptions that expire soon, and drops those that were never verified. */
  renew(): Promise<void>
  /** Answers the hub's verification request: its challenge, or null if the subscription isn't ours. */
  verify(token: string, query: ReadonlyMap<string, string>): string | null
  /** False if there is no such subscription: the hub may drop it. */
  deliver(token: string, body: Uint8Array, signature: string): boolean
  /** Handles a message from another server that a hub called. */
  relayed(message: string): void
  isActive(topic: string): boolean
}

/** `lease` in seconds if a subscription was verified; null for news. */
type Relayed = { token: string; lease: number | null }

type Kept = Subscription & {
  token: string
  state: 'asked' | 'active'
  /** When it was last requested. */
  askedAt: number
  /** End of the lease. */
  until: number
  isLeaving: boolean
}

/** Length of the random part of a token: 16 bytes. */
const idLength = 22
const leaseSeconds = 10 * 86_400
/** Shorter leases are refused. */
const minLeaseSeconds = 300
const verificationMs = 10 * 60_000
const maxSubscriptions = 10_000
const maxAddress = 2048
/** Share of a lease after which it is renewed. */
const renewAfter = 0.8
/** Interval for repeating a renewal that was not verified. */
const renewAgainMs = 60_000

export function createWebSub({ publicUrl, send, clock, onNews, onActive, onEnd, shared }: WebSubDeps): WebSub {
  const key = shared?.key ?? randomBytes(32)
  const byToken = new Map<string, Kept>()
  const byTopic = new Map<string, Kept>()

  const macOf = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  /** The callback URL contains this secret, which any server with the key can check. */
  const tokenOf = (id: string, topic: string): string => `${id}${macOf(`topic ${id} ${topic}`)}`
  const secretOf = (token: string): string => macOf(`secret ${token}`)

  function activate(kept: Kept, lease: number): void {
    kept.state = 'active'
    kept.until = clock.now() + Math.min(lease, leaseSeconds * 10) * 1000
    onActive?.(kept.topic)
  }

  /** For a subscription of another server. That server notices a denied one because it isn't verified in time. */
  function verifyForOther(token: string, query: ReadonlyMap<string, string>): string | null {
    const { mode, topic, challenge, lease } = verificationOf(query)
    const isOurs = isSame(token, tokenOf(token.slice(0, idLength), topic))
    if (shared === undefined || !isOurs || challenge === '') return null
    if (mode === 'unsubscribe') return challenge
    if (mode !== 'subscribe' || !(lease >= minLeaseSeconds)) return null
    shared.tellOthers(JSON.stringify({ token, lease } satisfies Relayed))
    return challenge
  }

  function deliverForOther(token: string, body: Uint8Array, signature: string): boolean {
    if (shared === undefined || !isSigned(body, signature, secretOf(token))) return false
    shared.tellOthers(JSON.stringify({ token, lease: null } satisfies Relayed))
    return true
  }

  function forget(kept: Kept): void {
    byToken.delete(kept.token)
    if (byTopic.get(kept.topic) === kept) byTopic.delete(kept.topic)
  }

  async function ask(kept: Kept, mode: 'subscribe' | 'unsubscribe'): Promise<void> {
    kept.askedAt = clock.now()
    try {
      const status = await send(kept.hub, subscriptionForm(kept, mode))
      // The recommendation says 202; some older hubs verify before they answer.
      if (status < 200 || status > 299) throw new AppError('protocol-failed', `the hub answered with ${status}`)
    } catch (error) {
      if (kept.state === 'asked') forget(kept)
      throw error
    }
  }

  function lose(kept: Kept, code: ErrorCode, why: string): void {
    const isCurrent = byTopic.get(kept.topic) === kept
    forget(kept)
    if (isCurrent) onEnd?.(kept.topic, new AppError(code, why))
  }

  return {
    async subscribe(hub, topic) {
      const known = byTopic.get(topic)
      if (known !== undefined && known.hub === hub) return
      if (!isWebAddress(hub) || !isWebAddress(topic))
        throw new AppError('url-invalid', 'not the address of a hub or a feed')
      if (known !== undefined) forget(known)
      if (byTopic.size >= maxSubscriptions) throw new AppError('not-available', 'too many subscriptions')
      const token = tokenOf(randomBytes(16).toString('base64url'), topic)
      const kept: Kept = {
        hub,
        topic,
        callback: `${publicUrl}/websub/${token}`,
        secret: secretOf(token),
        token,
        state: 'asked',
        askedAt: clock.now(),
        until: 0,
        isLeaving: false,
      }
      byToken.set(token, kept)
      byTopic.set(topic, kept)
      await ask(kept, 'subscribe')
    },
    async unsubscribe(topic) {
      const kept = byTopic.get(topic)
      if (kept === undefined) return
      kept.isLeaving = true
      byTopic.delete(topic)
      await ask(kept, 'unsubscribe')
    },
    async renew() {
      const now = clock.now()
      for (const kept of [...byToken.values()]) {
        const sinceAsked = now - kept.askedAt
        const isUnverified = (kept.state === 'asked' || kept.isLeaving) && sinceAsked > verificationMs
        if (isUnverified) lose(kept, 'not-available', 'the hub of this source did not verify the subscription')
        else if (kept.state !== 'active' || kept.isLeaving) continue
        else if (now >= kept.until)
          lose(kept, 'connect-failed', 'the hub of this source did not renew the subscription')
        else if (sinceAsked > renewAgainMs && now >= renewalAt(kept))
          // If the hub can't be reached, retry until the lease expires.
          await ask(kept, 'subscribe').catch((error: unknown) => {
            if (!(error instanceof AppError)) throw error
          })
      }
    },
    verify(token, query) {
      const kept = byToken.get(token)
      const { mode, topic, challenge, lease } = verificationOf(query)
      if (kept === undefined) return verifyForOther(token, query)
      if (topic !== kept.topic) return null
      if (mode === 'denied') {
        lose(kept, 'not-available', 'the hub of this source refused the subscription')
        return ''
      }
      if (challenge === '' || clock.now() - kept.askedAt > verificationMs) return null
      if (mode === 'unsubscribe') {
        if (!kept.isLeaving) return null
        forget(kept)
        return challenge
      }
      if (mode !== 'subscribe' || kept.isLeaving || !(lease >= minLeaseSeconds)) return null
      activate(kept, lease)
      return challenge
    },
    deliver(token, body, signature) {
      const kept = byToken.get(token)
      if (kept === undefined) return deliverForOther(token, body, signature)
      if (kept.state !== 'active' || kept.isLeaving) return false
      // A wrong signature gets the same response as a right one (5.1 of the recommendation), but is ignored.
      if (isSigned(body, signature, kept.secret)) onNews(kept.topic)
      return true
    },
    relayed(message) {
      const { token, lease } = JSON.parse(message) as Relayed
      const kept = byToken.get(token)
      if (kept === undefined || kept.isLeaving) return
      if (lease !== null) activate(kept, lease)
      else if (kept.state === 'active') onNews(kept.topic)
    },
    isActive: (topic) => byTopic.get(topic)?.state === 'active',
  }
}

/** At four fifths of the lease. */
const renewalAt = ({ askedAt, until }: Kept): number => askedAt + (until - askedAt) * renewAfter

export function subscriptionForm({ topic, callback, secret }: Subscription, mode: 'subscribe' | 'unsubscribe'): string {
  return new URLSearchParams({
    'hub.callback': callback,
    'hub.mode': mode,
    'hub.topic': topic,
    'hub.lease_seconds': String(leaseSeconds),
    'hub.secret': secret,
  }).toString()
}

function verificationOf(query: ReadonlyMap<string, string>) {
  return {
    mode: query.get('hub.mode') ?? '',
    topic: query.get('hub.topic') ?? '',
    challenge: (query.get('hub.challenge') ?? '').slice(0, maxAddress),
    lease: Number(query.get('hub.lease_seconds') ?? Number.NaN),
  }
}

const methods = new Set(['sha1', 'sha256', 'sha384', 'sha512'])

/** `sha256=…`, the keyed hash of the body. */
export function isSigned(body: Uint8Array, signature: string, secret: string): boolean {
  const [, method = '', digest = ''] = /^(sha\d{1,3})=([0-9a-f]{40,128})$/i.exec(signature.trim()) ?? []
  if (!methods.has(method.toLowerCase())) return false
  const wanted = createHmac(method.toLowerCase(), secret).update(body).digest('hex')
  return isSame(wanted, digest.toLowerCase())
}

/** Constant-time comparison of strings of any length. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}

function isWebAddress(text: string): boolean {
  return text.length <= maxAddress && /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}
