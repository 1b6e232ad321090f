import type { Place } from '../../cli/engine.ts'
import type { StatusReport } from '../../core/reports/status-report.ts'
import { withStores } from '../engines/open-engine.ts'

/** `erace status`, beside whoever works there. */
export function status(place: Place): Promise<StatusReport> {
  return withStores(place, 'look', (stores) => stores.readStatus())
}
