import { exportArchive as writeExport } from '../../archive/export/export.ts'
import type { ExportHooks, Target } from '../../cli/engine.ts'
import { version } from '../../config/version.ts'
import { systemClock } from '../../core/clock.ts'
import type { ExportReport, ExportRequest } from '../../core/reports/export-report.ts'
import { withStores } from '../engines/open-engine.ts'

/** `erace export`, beside whoever writes there. */
export function exportArchive(
  target: Target,
  request: ExportRequest,
  { onProgress, signal }: ExportHooks,
): Promise<ExportReport> {
  return withStores(target, 'look', ({ versions, objects, annotations }) =>
    writeExport(request, {
      versions,
      objects,
      annotations,
      output: process.stdout,
      software: `eRACE/${version}`,
      now: systemClock.now,
      signal,
      onProgress,
    }),
  )
}
