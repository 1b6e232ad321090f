import { hostname } from 'node:os'
import { verifyArchive } from './cache/verify.ts'
import type { VerifyProgress, VerifyReport } from './core/verify-report.ts'
import { checkDatabases } from './store/embedded/checks.ts'
import { openDatabase } from './store/embedded/database.ts'
import { openCatalogForReading, paths } from './store/embedded/folder.ts'
import { lockFolder } from './store/embedded/lock.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { type ArchiveDamage, giveUpDamaged, type Repair } from './store/embedded/repair.ts'
import { catalogMigrations } from './store/embedded/schema-catalog.ts'

export type VerifyOptions = { repair: boolean }

/** `erace verify` on the embedded store. */
export async function verify(
  folder: string,
  onProgress: (progress: VerifyProgress) => void,
  { repair }: VerifyOptions,
): Promise<VerifyReport> {
  openCatalogForReading(folder).close()
  if (!repair) return (await look(folder, onProgress)).report
  const holder = `process ${process.pid} on ${hostname()} (verify)`
  const lock = lockFolder(folder, holder)
  try {
    const housekeeping = lockFolder(folder, holder, undefined, 'housekeeping')
    try {
      return await lookAndRepair(folder, onProgress)
    } finally {
      housekeeping.release()
    }
  } finally {
    lock.release()
  }
}

async function lookAndRepair(folder: string, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport> {
  const before = await look(folder, onProgress)
  const nothing = { faults: [], faultCount: 0, lostVersions: 0, lostUrls: [], forgottenFiles: 0 }
  if (before.report.faultCount === 0) return { ...before.report, repaired: nothing }
  const { lost, forgottenFiles } = mend(folder, before.damage)
  const after = await look(folder, onProgress)
  const { faults, faultCount } = before.report
  return {
    ...after.report,
    repaired: { faults, faultCount, lostVersions: lost.count, lostUrls: lost.urls, forgottenFiles },
  }
}

async function look(folder: string, onProgress: (progress: VerifyProgress) => void) {
  const damage: ArchiveDamage = { versionIds: [], missingFiles: [], shortFiles: [] }
  const db = openCatalogForReading(folder)
  try {
    const report = await verifyArchive({
      objects: createEmbeddedObjects(db, paths.archive(folder)),
      storeFaults: async () => checkDatabases(folder),
      onProgress,
      onDamage(found) {
        if (found.kind === 'record') damage.versionIds.push(found.versionId)
        else if (found.size === null) damage.missingFiles.push(found.fileId)
        else damage.shortFiles.push(found.fileId)
      },
    })
    return { report, damage }
  } finally {
    db.close()
  }
}

function mend(folder: string, damage: ArchiveDamage): Repair {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  try {
    return giveUpDamaged(db, damage)
  } finally {
    db.close()
  }
}
