import type { BackupHooks, RestoreHooks } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import type { BackupReport, RestoreReport } from '../../core/reports/backup-report.ts'
import { backupFolder } from '../../store/sqlite/backup/backup.ts'
import { restoreFolder } from '../../store/sqlite/backup/restore.ts'

/** `erace backup` on the embedded store. */
export async function backup(folder: string, file: string, hooks: BackupHooks): Promise<BackupReport> {
  return backupFolder({ folder, file, clock: systemClock, ...hooks })
}

/** `erace restore` on the embedded store. */
export async function restore(file: string, folder: string, hooks: RestoreHooks): Promise<RestoreReport> {
  return restoreFolder({ file, folder, clock: systemClock, ...hooks })
}
