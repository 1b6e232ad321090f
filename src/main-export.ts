import { exportArchive } from './cache/export/export.ts'
import { version } from './config/version.ts'
import { systemClock } from './core/clock.ts'
import type { ExportProgress, ExportReport, ExportRequest } from './core/export-report.ts'
import { createEmbeddedAnnotations } from './store/embedded/annotations.ts'
import { openCatalogForReading, paths } from './store/embedded/folder.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'

export type ExportHooks = { onProgress(progress: ExportProgress): void; signal: AbortSignal }

/** `erace export` on the embedded store. */
export async function exportFolder(
  folder: string,
  request: ExportRequest,
  { onProgress, signal }: ExportHooks,
): Promise<ExportReport> {
  const db = openCatalogForReading(folder)
  try {
    return await exportArchive(request, {
      versions: createEmbeddedVersions(db),
      objects: createEmbeddedObjects(db, paths.archive(folder)),
      annotations: createEmbeddedAnnotations(db),
      output: process.stdout,
      software: `eRACE/${version}`,
      now: systemClock.now,
      signal,
      onProgress,
    })
  } finally {
    db.close()
  }
}
