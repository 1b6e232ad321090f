import type { Clock } from '../../../core/clock.ts'
import { parseHttpDate } from '../../../core/http/http-date.ts'
import { type FetchResult, headerValue } from '../../fetch/fetch-result.ts'
import type { HostSignal } from '../../frontier/politeness.ts'

/** Nothing was sent to the host. */
export const untouched: HostSignal = { kind: 'untouched' }

/** What the result of a fetch says about its host. */
export function signalOf(result: FetchResult, clock: Clock): HostSignal {
  const { totalMs } = result
  if (result.kind === 'failed') {
    if (result.code === 'dns-not-found') return { kind: 'not-found', totalMs }
    const reached = result.code !== 'address-refused' && result.code !== 'url-invalid'
    return reached ? { kind: 'failed', totalMs } : untouched
  }
  if (result.status === 429 || result.status === 503) {
    return { kind: 'slow-down', totalMs, retryAfterMs: retryAfterMs(result.rawHeaders, clock) }
  }
  return result.status >= 500 ? { kind: 'failed', totalMs } : { kind: 'answered', totalMs }
}

/** Reads seconds or a date; 0 for anything else. A date counts by the clock of the server, which may differ from ours. */
export function retryAfterMs(rawHeaders: readonly string[], clock: Clock): number {
  const value = headerValue(rawHeaders, 'retry-after')?.trim() ?? ''
  // A number of any length: the longer it is, the more the host wants to be left alone.
  if (/^\d+(?:\.\d*)?$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER)
  const at = parseHttpDate(value) ?? Date.parse(value)
  if (Number.isNaN(at)) return 0
  return Math.max(0, at - (parseHttpDate(headerValue(rawHeaders, 'date') ?? '') ?? clock.now()))
}
