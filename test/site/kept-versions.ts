import type { Version } from '../../src/store/contracts/versions.ts'
import { createSqliteVersions } from '../../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading } from '../../src/store/sqlite/folder/folder.ts'

/** All versions in a data folder, oldest first, by the path of their URL with its query. */
export async function keptVersions(data: string): Promise<Map<string, Version[]>> {
  const db = openCatalogForReading(data)
  try {
    const byPath = new Map<string, Version[]>()
    for (const version of await createSqliteVersions(db).versions({ after: 0, limit: 1_000_000 })) {
      const { pathname, search } = new URL(version.url)
      const path = pathname + search
      byPath.set(path, [...(byPath.get(path) ?? []), version])
    }
    return byPath
  } finally {
    db.close()
  }
}
