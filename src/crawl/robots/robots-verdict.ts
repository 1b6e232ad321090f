import { isWholeAnswer } from '../fetch/fetch-result.ts'
import { type ParseRobotsOptions, parseRobots } from './parse-robots.ts'
import type { RobotsRules } from './robots-rules.ts'

/** What a host's robots.txt means for us, and how long that is valid. */
export type RobotsVerdict = {
  kind: 'rules' | 'allow-all' | 'disallow-all'
  rules: RobotsRules
  expiresInMs: number
}

/** The response to a request for `/robots.txt`, after the caller has followed redirects. */
export type RobotsResponse = { status: number; body: Uint8Array } | 'unreachable'

export type VerdictOptions = ParseRobotsOptions & {
  /** From `Cache-Control: max-age`; null or absent if the response had none. */
  maxAgeSeconds?: number | null
  /** Number of consecutive failures to fetch the file before this one. */
  failuresBefore?: number
}

const hourMs = 3_600_000
const longestMs = 24 * hourMs
const firstRetryMs = 5 * 60_000

const allowAll = parseRobots('')
const disallowAll = parseRobots('User-agent: *\nDisallow: /')

/**
 * RFC 9309 section 2.3.1: a missing file forbids nothing, an unreachable one forbids everything for now. 429 counts as unreachable: the
 * server asked for fewer requests, not for more. So do partial content, and "nothing yet". A redirect that leads nowhere counts as a
 * missing file.
 */
export function rulesFromResponse(response: RobotsResponse, options: VerdictOptions = {}): RobotsVerdict {
  if (response === 'unreachable') return unreachable(options)
  const { status, body } = response
  if (isWholeAnswer(status, body.length)) {
    return { kind: 'rules', rules: parseRobots(body, options), expiresInMs: lifetimeMs(options) }
  }
  if (status >= 300 && status < 500 && status !== 429) {
    return { kind: 'allow-all', rules: allowAll, expiresInMs: lifetimeMs(options) }
  }
  return unreachable(options)
}

/** Exponential backoff: each consecutive failure doubles the wait. */
function unreachable({ failuresBefore = 0 }: VerdictOptions): RobotsVerdict {
  const waitMs = Math.min(longestMs, firstRetryMs * 2 ** Math.min(failuresBefore, 20))
  return { kind: 'disallow-all', rules: disallowAll, expiresInMs: waitMs }
}

function lifetimeMs({ maxAgeSeconds }: VerdictOptions): number {
  if (maxAgeSeconds === undefined || maxAgeSeconds === null || Number.isNaN(maxAgeSeconds)) return longestMs
  return Math.min(longestMs, Math.max(hourMs, maxAgeSeconds * 1000))
}
