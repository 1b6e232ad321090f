import { createBodyReader } from './cache/body-reader.ts'
import { compareVersions } from './cache/looking/compare.ts'
import { readHistory } from './cache/looking/history.ts'
import { readShown } from './cache/looking/show.ts'
import { createVersionFinder } from './cache/looking/version-finder.ts'
import type { Place } from './cli/engine.ts'
import type { Config } from './config/config.ts'
import type { CompareRequest, DiffReport, HistoryReport, HistoryRequest, ShowReport } from './core/looking-report.ts'
import { createKeys } from './main-keys.ts'
import { openCatalogForReading, paths, readFacts } from './store/embedded/folder.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'

/** `erace history`, `show` and `diff` on the embedded store. */
export function history(place: Place, url: string, request: HistoryRequest): Promise<HistoryReport> {
  return looking(place, async (parts) => readHistory(parts, await parts.finder.document(url), request))
}

export function show(place: Place, address: string): Promise<ShowReport> {
  return looking(place, async (parts) => readShown(parts, await parts.finder.find(address)))
}

export function diff(place: Place, url: string, request: CompareRequest): Promise<DiffReport> {
  return looking(place, async (parts) => compareVersions(parts, await parts.finder.document(url), request))
}

async function looking<T>(
  { dataDir, config }: Place,
  work: (parts: ReturnType<typeof assemble>) => Promise<T>,
): Promise<T> {
  const db = openCatalogForReading(dataDir)
  try {
    return await work(assemble(db, dataDir, config))
  } finally {
    db.close()
  }
}

function assemble(db: ReturnType<typeof openCatalogForReading>, dataDir: string, config: Config) {
  const versions = createEmbeddedVersions(db)
  const objects = createEmbeddedObjects(db, paths.archive(dataDir))
  const keyOf = createKeys(config, readFacts(db)?.seed ?? [0, 0])
  return { versions, bodies: createBodyReader({ versions, objects }), finder: createVersionFinder({ versions, keyOf }) }
}
