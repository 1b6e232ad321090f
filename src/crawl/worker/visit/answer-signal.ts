import type { Clock } from '../../../core/clock.ts'
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
    return {
      kind: 'slow-down',
      totalMs,
      retryAfterMs: retryAfterMs(headerValue(result.rawHeaders, 'retry-after'), clock),
    }
  }
  return result.status >= 500 ? { kind: 'failed', totalMs } : { kind: 'answered', totalMs }
}

/** Parses seconds or a date; 0 for anything else. */
export function retryAfterMs(value: string | undefined, clock: Clock): number {
  if (value === undefined) return 0
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? 0 : Math.max(0, at - clock.now())
}
