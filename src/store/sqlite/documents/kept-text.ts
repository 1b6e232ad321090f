import { type BodyReader, createBodyReader } from '../../../archive/body-reader.ts'
import { textFingerprint } from '../../../core/text/document-text.ts'
import type { OmitRules } from '../../../core/text/omit-rules.ts'
import type { VersionStore } from '../../contracts/versions.ts'
import { createSqliteObjects } from '../archive/objects.ts'
import { openCatalogForReading, paths } from '../folder/folder.ts'
import { createSqliteVersions } from './versions.ts'

type Kept = { versions: VersionStore; bodies: BodyReader }

/** Fingerprints of texts of kept versions. The catalogue is opened when the first is asked for: most crawls need none. */
export function createKeptText(folder: string): (versionId: number, omit: OmitRules | null) => Promise<Buffer | null> {
  let kept: Kept | null = null
  return async (versionId, omit) => {
    kept ??= openKept(folder)
    const version = await kept.versions.version(versionId)
    const found = version === null ? null : await kept.bodies.read(version)
    return found?.kind === 'body' ? textFingerprint(found.body, { contentType: found.contentType, omit }) : null
  }
}

function openKept(folder: string): Kept {
  const db = openCatalogForReading(folder)
  const versions = createSqliteVersions(db)
  return { versions, bodies: createBodyReader({ versions, objects: createSqliteObjects(db, paths.archive(folder)) }) }
}
