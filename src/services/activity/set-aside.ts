import type { StatusReport } from '../../core/reports/status-report.ts'
import type { SetAside } from '../../store/contracts/annotations.ts'

/** Number shown on a page or a terminal. */
export const SET_ASIDE_SHOWN = 5

export function setAsideReport({ count, latest }: SetAside): StatusReport['setAside'] {
  return { count, latest: latest.map(({ url, reason, at }) => ({ url, reason, at: new Date(at).toISOString() })) }
}
