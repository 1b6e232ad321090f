import { createBodyReader } from '../../../archive/body-reader.ts'
import { textFingerprint } from '../../../core/text/document-text.ts'
import type { OmitRules } from '../../../core/text/omit-rules.ts'
import { createPostgresObjects } from '../archive/objects.ts'
import { createPostgresVersions } from '../archive/versions.ts'
import type { PostgresPool } from '../connection/pool.ts'

/** Fingerprints of texts of kept versions. */
export function createKeptText(pool: PostgresPool) {
  const versions = createPostgresVersions(pool)
  const bodies = createBodyReader({ versions, objects: createPostgresObjects(pool) })
  return async (versionId: number, omit: OmitRules | null): Promise<Buffer | null> => {
    const version = await versions.version(versionId)
    const found = version === null ? null : await bodies.read(version)
    return found?.kind === 'body' ? textFingerprint(found.body, { contentType: found.contentType, omit }) : null
  }
}
