import { verifyArchive } from './cache/verify.ts'
import type { VerifyProgress, VerifyReport } from './core/verify-report.ts'
import { checkDatabases } from './store/embedded/checks.ts'
import { openCatalogForReading, paths } from './store/embedded/folder.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'

/** `erace verify` on the embedded store. */
export async function verify(folder: string, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport> {
  const db = openCatalogForReading(folder)
  try {
    return await verifyArchive({
      objects: createEmbeddedObjects(db, paths.archive(folder)),
      storeFaults: async () => checkDatabases(folder),
      onProgress,
    })
  } finally {
    db.close()
  }
}
