import { hostname } from 'node:os'
import { createBodyReader } from '../../archive/body-reader.ts'
import { isWholeRecord } from '../../archive/warc/record-check.ts'
import type { ImportHooks } from '../../cli/engine.ts'
import type { ImportReport } from '../../core/reports/import-report.ts'
import { compareImport } from '../../services/import/compare.ts'
import { copyRows } from '../../services/import/copy.ts'
import { kindLabels } from '../../services/import/labels.ts'
import { type ImportSource, type ImportState, type ImportTarget, importKinds } from '../../store/contracts/import.ts'
import { createPostgresObjects } from '../../store/postgres/archive/objects.ts'
import { createPostgresVersions } from '../../store/postgres/archive/versions.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { openImportTarget } from '../../store/postgres/import/import-target.ts'
import { migrate } from '../../store/postgres/schema/migrate.ts'
import { openImportSource } from '../../store/sqlite/import/import-source.ts'

const CONNECTIONS = 6

/**
 * `erace migrate --from … --to …`: a data folder into a shared store.
 *
 * `copying`: kind after kind, portion after portion in the order of their keys; each is one transaction together with the mark of how
 * far it has come. Whoever dies leaves a mark that says exactly what is there, and the next call goes on behind it.
 * `settling`: all rows are there; what follows from them is made, in one transaction: sequences, counters.
 * `checking`: every row of the folder is held against the store; every body that is kept there is read, and its digest computed again.
 * `done`: the store may be used.
 */
export async function importFolder(folder: string, store: string, hooks: ImportHooks): Promise<ImportReport> {
  const holder = `process ${process.pid} on ${hostname()} (migrate)`
  const source = openImportSource({ folder, holder, isWhole: isWholeRecord })
  try {
    const pool = openPool({ address: store, maxConnections: CONNECTIONS, name: 'erace migrate' })
    let target: ImportTarget | null = null
    try {
      await migrate(pool)
      target = await openImportTarget(pool)
      const [versions, objects] = [createPostgresVersions(pool), createPostgresObjects(pool)]
      const bodies = createBodyReader({ versions, objects })
      let mark = await target.begin(source.identity, source.facts())
      mark = await copyRows({ source, target, hooks }, mark)
      mark = await compareImport({ source, target, hooks, versions, objects, bodies, isWhole: isWholeRecord }, mark)
      return await reportOf(mark, source, target, hooks)
    } finally {
      await (target ?? pool).close()
    }
  } finally {
    source.close()
  }
}

async function reportOf(
  mark: ImportState,
  source: ImportSource,
  target: ImportTarget,
  { signal }: ImportHooks,
): Promise<ImportReport> {
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
    interrupted: phase !== 'done' && signal.aborted,
  }
}
