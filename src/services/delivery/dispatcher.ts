import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { isTemporary } from '../../core/work/retry.ts'
import type { Channel, ChannelHealth, ChannelStore } from '../../store/contracts/channels.ts'
import type { ChannelLease, DeliveryStore, LeasedChannel } from '../../store/contracts/deliveries.ts'
import type { createNextMessage, NextMessage } from './next-message.ts'
import { endOfAttempt } from './outcome.ts'
import type { Sender } from './sender.ts'

/** Sends due messages, several channels concurrently. Channels are leased, so that no two processes send on the same one. */
export type Dispatcher = {
  /** Leases channels with something due, as many as there are free slots. */
  fill(): Promise<void>
  /** Renews the leases of this process. */
  renew(): Promise<void>
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
  /** Begins no further messages. */
  stop(): void
}

export type DispatcherDeps = {
  deliveries: DeliveryStore
  channels: Pick<ChannelStore, 'find'>
  next: ReturnType<typeof createNextMessage>
  send: Sender
  clock: Clock
  leaseMs: number
  random(): number
  /** A slot is free again. */
  onFree(): void
  /** The store is unavailable, or worse: work in progress is left to the next lease. */
  onFailure(error: unknown): void
  onProblem(message: string, fields: Record<string, unknown>): void
}

const PLACES = 16

type FoundMessage = Extract<NextMessage, { kind: 'message' }>
type Attempt = ReturnType<typeof endOfAttempt>

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { deliveries, channels, next, send, clock, leaseMs, random, onFree, onFailure, onProblem } = deps
  const held = new Map<string, ChannelLease>()
  const working = new Set<Promise<void>>()
  let isStopped = false

  async function attempt(channel: Channel, health: ChannelHealth, { stored, message }: FoundMessage): Promise<Attempt> {
    if (message.items.length === 0) {
      const answer =
        'Nothing to tell any more: its annotations or their profile were removed, or the account is disabled.'
      return { end: { state: 'failed', at: clock.now(), answer }, health }
    }
    const outcome = await send(channel, message)
    return endOfAttempt(outcome, stored, health, { now: clock.now(), random: random() })
  }

  /** Sends one message. Returns the health of the channel if another may follow at once; null if the lease is over. */
  async function sendNext(
    lease: ChannelLease,
    channel: Channel,
    health: ChannelHealth,
    afterFailure: boolean,
  ): Promise<ChannelHealth | null> {
    const found = await next(lease, channel, afterFailure)
    if (found.kind === 'lost') return null
    if (found.kind === 'none') {
      await deliveries.release(lease, found.notBefore)
      return null
    }
    const { end, health: after } = await attempt(channel, health, found)
    // We aborted the attempt; the receiver didn't refuse it.
    if (isStopped && end.state === 'waiting') return health
    if (!(await deliveries.settle(lease, found.stored.id, end, after))) return null
    if (end.state === 'failed' || (after.state !== 'active' && after.state !== health.state))
      onProblem('a message was not delivered', { channel: channel.id, kind: channel.kind, answer: end.answer })
    // Entries that became due meanwhile are found by the next lease.
    if (!found.isLast && after.state !== 'off' && after.retryAt <= end.at) return after
    await deliveries.release(lease)
    return null
  }

  async function serve({ lease, channel: leased }: LeasedChannel): Promise<void> {
    let channel = leased
    const { state, reason, failures, retryAt, sentAt } = channel
    let health: ChannelHealth | null = { state, reason, failures, retryAt, sentAt }
    while (health !== null && !isStopped) {
      health = await sendNext(lease, channel, health, failures > 0)
      // Its owner may have changed it meanwhile.
      const current = health === null ? null : await channels.find(channel.id)
      if (health !== null && (current === null || current.state === 'off')) break
      channel = current ?? channel
    }
    if (health !== null) await deliveries.release(lease)
  }

  /** Charges an unexpected error to the channel and its begun message, so that other channels are not affected. */
  async function setAside({ lease, channel }: LeasedChannel, error: unknown): Promise<void> {
    const { id, kind } = channel
    onProblem('a channel could not be served', { channel: id, kind, error: errorText(error) })
    const now = clock.now()
    const begun = await deliveries.begun(lease)
    const unforeseen = { kind: 'later', reason: reasonOf(error) } as const
    const message = begun ?? { createdAt: now, attempts: 0 }
    const { end, health } = endOfAttempt(unforeseen, message, channel, { now, random: random() })
    await deliveries.settle(lease, begun?.id ?? '', end, health)
    await deliveries.release(lease)
  }

  /** Never rejects. If setting aside fails too, the channel is retried when the lease expires. */
  async function take(leased: LeasedChannel): Promise<void> {
    const { lease, channel } = leased
    held.set(channel.id, lease)
    try {
      await serve(leased)
    } catch (error) {
      if (isTemporary(error)) onFailure(error)
      else await setAside(leased, error).catch(onFailure)
    }
    // After a jump of the clock, the channel may have been leased again meanwhile.
    if (held.get(channel.id) === lease) held.delete(channel.id)
  }

  return {
    async fill() {
      const limit = PLACES - working.size
      if (limit <= 0 || isStopped) return
      const leased = await deliveries.lease({ now: clock.now(), leaseMs, limit })
      for (const each of leased) {
        const work = take(each).finally(() => {
          working.delete(work)
          onFree()
        })
        working.add(work)
      }
    },
    async renew() {
      for (const lease of held.values()) await deliveries.renew(lease, clock.now() + leaseMs)
    },
    async idle() {
      while (working.size > 0) await Promise.all(working)
    },
    stop() {
      isStopped = true
    },
  }
}

function reasonOf(error: unknown): string {
  if (isAppError(error)) return error.message
  return `internal error: ${error instanceof Error ? error.message : String(error)}`
}

const errorText = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
