import type { ExportFault, ExportProgress, ExportRequest } from '../../core/reports/export-report.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { ExportTarget } from './export-target.ts'
import type { LineSorter } from './line-sorter.ts'
import type { RecordSource } from './record-source.ts'

/** What each kind of export works with. */
export type ExportWork = {
  request: ExportRequest
  versions: VersionStore
  source: RecordSource
  target: ExportTarget
  /** For what must be sorted; made when it is asked for, taken away at the end. */
  createSorter(): LineSorter
  stats: ExportStats
}

export type ExportStats = {
  records(): number
  /** Something went into the export. Throws an `ExportStopped` when it shall end. */
  count(bytes: number): void
  leaveOut(fault: ExportFault): void
  skipped(): number
  faults(): ExportFault[]
}

/** Somebody asked for the end; nothing is wrong. */
export class ExportStopped extends Error {}

const maxFaults = 1000
const progressEvery = 256

export function createStats(signal: AbortSignal, onProgress: (progress: ExportProgress) => void): ExportStats {
  const faults: ExportFault[] = []
  let skipped = 0
  let records = 0
  let bytes = 0

  const check = (): void => {
    if (signal.aborted) throw new ExportStopped('stopped')
  }

  return {
    records: () => records,
    skipped: () => skipped,
    faults: () => faults,
    count(added) {
      check()
      bytes += added
      if (++records % progressEvery === 0) onProgress({ records, bytes })
    },
    leaveOut(fault) {
      check()
      skipped++
      if (faults.length < maxFaults) faults.push(fault)
    },
  }
}
