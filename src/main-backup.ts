import type { BackupHooks, RestoreHooks } from './cli/engine.ts'
import type { BackupReport, RestoreReport } from './core/backup-report.ts'
import { systemClock } from './core/clock.ts'
import { backupFolder } from './store/embedded/backup.ts'
import { restoreFolder } from './store/embedded/restore.ts'

/** `erace backup` on the embedded store. */
export async function backup(folder: string, file: string, hooks: BackupHooks): Promise<BackupReport> {
  return backupFolder({ folder, file, clock: systemClock, ...hooks })
}

/** `erace restore` on the embedded store. */
export async function restore(file: string, folder: string, hooks: RestoreHooks): Promise<RestoreReport> {
  return restoreFolder({ file, folder, clock: systemClock, ...hooks })
}
