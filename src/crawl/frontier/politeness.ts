import type { HostQueue } from './host-queue.ts'

export type PolitenessRules = {
  /** Pause between two requests to one host; 0 for none, except for delays that the host itself asks for. */
  delayMs: number
  /** Slow hosts are asked less often: the pause is at least this multiple of the last fetch's duration. */
  delayFactor: number
  /** Consecutive failures after which a host rests. */
  failuresToRest: number
  /** The first rest; each further one is four times as long. */
  restMs: number
  restMaxMs: number
  /** Rests without a success in between after which a host is given up for this run. */
  maxRests: number
  /** Consecutive answers of 429 or 503 after which a host is given up; 20 by default. */
  maxSlowdowns?: number
}

/** What a fetch says about the host, as opposed to the page. */
export type HostSignal =
  | { kind: 'answered'; totalMs: number }
  /** 429 or 503: a request of the host, not a failure. `retryAfterMs` is 0 if the host did not name a time. */
  | { kind: 'slow-down'; totalMs: number; retryAfterMs: number }
  | { kind: 'failed'; totalMs: number }
  /** The host does not exist: no politeness needed, but it counts as a failure. */
  | { kind: 'not-found'; totalMs: number }
  /** No connection was made: no politeness needed. */
  | { kind: 'untouched' }

const FIRST_BACKOFF_MS = 500
const LAST_BACKOFF_MS = 60_000
const SLOWDOWNS_TO_GIVE_UP = 20

export function pauseMs(hostQueue: HostQueue, rules: PolitenessRules): number {
  const own = rules.delayMs === 0 ? 0 : Math.max(rules.delayMs, rules.delayFactor * hostQueue.lastFetchMs)
  return Math.max(own, hostQueue.crawlDelayMs)
}

/** Moves the host's clock after a fetch. Returns whether the host starts to rest or is given up. */
export function noteSignal(
  hostQueue: HostQueue,
  signal: HostSignal,
  now: number,
  rules: PolitenessRules,
): 'goes-on' | 'rests' | 'given-up' {
  if (signal.kind === 'untouched') return 'goes-on'
  // There is no host to be polite to, but it counts as a failure.
  if (signal.kind === 'not-found') {
    hostQueue.failures++
    return 'goes-on'
  }
  hostQueue.lastFetchMs = signal.totalMs
  if (signal.kind === 'answered') {
    hostQueue.failures = 0
    hostQueue.rests = 0
    hostQueue.slowdowns = 0
    leaveAlone(hostQueue, now + pauseMs(hostQueue, rules))
    return 'goes-on'
  }
  if (signal.kind === 'slow-down') return slowDown(hostQueue, signal.retryAfterMs, now, rules)
  hostQueue.failures++
  if (hostQueue.failures < rules.failuresToRest) {
    leaveAlone(hostQueue, now + Math.max(pauseMs(hostQueue, rules), backoffMs(hostQueue.failures)))
    return 'goes-on'
  }
  // From here on every failure is a failed probe: one request between ever longer rests.
  if (hostQueue.rests >= rules.maxRests) return 'given-up'
  leaveAlone(hostQueue, now + Math.min(rules.restMs * 4 ** hostQueue.rests, rules.restMaxMs))
  hostQueue.rests++
  return 'rests'
}

function slowDown(
  hostQueue: HostQueue,
  retryAfterMs: number,
  now: number,
  rules: PolitenessRules,
): 'goes-on' | 'given-up' {
  // A request of the host, so it doesn't count as a failure. But a host that answers nothing else is given up eventually.
  hostQueue.slowdowns++
  const wished = retryAfterMs > 0 ? retryAfterMs : backoffMs(hostQueue.slowdowns)
  leaveAlone(hostQueue, now + Math.max(pauseMs(hostQueue, rules), Math.min(wished, rules.restMaxMs)))
  return hostQueue.slowdowns > (rules.maxSlowdowns ?? SLOWDOWNS_TO_GIVE_UP) ? 'given-up' : 'goes-on'
}

function backoffMs(times: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (times - 1), LAST_BACKOFF_MS)
}

function leaveAlone(hostQueue: HostQueue, until: number): void {
  hostQueue.nextAt = Math.max(hostQueue.nextAt, until)
}
