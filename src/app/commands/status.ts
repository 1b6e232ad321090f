import type { Target } from '../../cli/engine.ts'
import type { StatusReport } from '../../core/reports/status-report.ts'
import { withStores } from '../engines/open-engine.ts'

/** `erace status`, beside whoever works there. */
export function status(target: Target): Promise<StatusReport> {
  return withStores(target, 'look', (stores) => stores.readStatus())
}
