import type { SendOutcome } from '../../delivery/channel-agent.ts'
import { cutTo } from '../../delivery/render/lines.ts'
import type { ChannelHealth } from '../../store/contracts/channels.ts'
import type { AttemptEnd, StoredMessage } from '../../store/contracts/deliveries.ts'

const FIRST_RETRY_MS = 30_000
const LAST_RETRY_MS = 3_600_000
/** Maximum delay a receiver may ask for. */
const MAX_ASKED_MS = 86_400_000
/** Consecutive failures from which a channel is failing. */
const FAILING_FROM = 3
const GIVE_UP_MS = 3 * 86_400_000
/** Minimum attempts before giving up: a jump of the clock makes messages look old. */
const MIN_ATTEMPTS = 8
const JITTER = 0.2
/** The reason is text from the receiver: limit its length. */
const MAX_REASON = 500

/** The result of an attempt for the message and its channel. `random` is from 0 to 1. */
export function endOfAttempt(
  outcome: SendOutcome,
  message: Pick<StoredMessage, 'createdAt' | 'attempts'>,
  health: ChannelHealth,
  { now, random }: { now: number; random: number },
): { end: AttemptEnd; health: ChannelHealth } {
  if (outcome.kind === 'delivered')
    return {
      end: { state: 'sent', at: now, answer: outcome.answer },
      health: { state: 'active', reason: '', failures: 0, retryAt: 0, sentAt: now },
    }
  const reason = cutTo(outcome.reason, MAX_REASON)
  const failures = health.failures + 1
  const isFailing = failures >= FAILING_FROM
  const failed: ChannelHealth = {
    ...{ reason, failures, sentAt: health.sentAt, state: isFailing ? 'failing' : 'active' },
    retryAt: now + retryMs(failures, outcome.kind === 'later' ? outcome.afterMs : undefined, random),
  }
  if (outcome.kind === 'later') {
    const isOver = now - message.createdAt >= GIVE_UP_MS && message.attempts + 1 >= MIN_ATTEMPTS
    const answer = isOver ? `Given up after three days: ${reason}` : reason
    return { end: { state: isOver ? 'failed' : 'waiting', at: now, answer }, health: failed }
  }
  const end: AttemptEnd = { state: 'failed', at: now, answer: reason }
  if (outcome.isGone === true) return { end, health: { ...failed, state: 'off', retryAt: 0 } }
  // The receiver is up and refused this message: it may accept the next one.
  return { end, health: isFailing ? failed : { ...failed, retryAt: 0 } }
}

/** Exponential backoff with jitter, but not before the receiver asks for it. */
function retryMs(failures: number, askedMs: number | undefined, random: number): number {
  const plain = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20), LAST_RETRY_MS)
  const spread = Math.round(plain * (1 - JITTER + 2 * JITTER * random))
  return Math.max(spread, Math.min(askedMs ?? 0, MAX_ASKED_MS))
}
