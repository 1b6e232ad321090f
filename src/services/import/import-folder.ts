import type { ImportReport } from '../../core/reports/import-report.ts'
import { type ImportState, importKinds } from '../../store/contracts/import.ts'
import { type CheckParts, compareImport } from './compare.ts'
import { copyRows, kindLabels } from './copy.ts'

/**
 * Imports a data folder into a shared store.
 *
 * `copying`: kind after kind, batch after batch in the order of their keys; each batch is one transaction together with a mark of the
 * progress. A process that dies leaves a mark that says exactly what was copied, and the next call continues there.
 * `settling`: all rows are copied; one transaction derives sequences and counters from them.
 * `checking`: every row of the folder is compared with the store; every kept body is read and its digest computed again.
 * `done`: the store may be used.
 */
export async function importFolder(parts: CheckParts): Promise<ImportReport> {
  const { source, target } = parts
  const begun = await target.begin(source.identity, source.facts())
  return reportOf(parts, await compareImport(parts, await copyRows(parts, begun)))
}

async function reportOf({ source, target, hooks }: CheckParts, mark: ImportState): Promise<ImportReport> {
  const { phase, checked, bodies, bytes, ms, faults, faultCount } = mark
  const counts: ImportReport['counts'] = []
  for (const kind of importKinds) {
    const here = phase === 'done' ? (checked[kind] ?? 0) : source.count(kind)
    counts.push({ what: kindLabels[kind], here, there: await target.count(kind) })
  }
  const further = faultCount - faults.length
  return {
    counts,
    bodiesChecked: bodies,
    bytes,
    seconds: Math.round(ms) / 1000,
    faults: further > 0 ? [...faults, `and ${further} more`] : faults,
    interrupted: phase !== 'done' && hooks.signal.aborted,
  }
}
