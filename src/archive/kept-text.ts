import { textFingerprint } from '../core/text/document-text.ts'
import type { OmitRules } from '../core/text/omit-rules.ts'
import type { ObjectStore } from '../store/contracts/objects.ts'
import type { VersionStore } from '../store/contracts/versions.ts'
import { createBodyReader } from './body-reader.ts'

export type KeptTextDeps = { versions: Pick<VersionStore, 'version'>; objects: Pick<ObjectStore, 'read'> }

/** Text fingerprints of kept versions; null where there is no body or no text. */
export function createKeptText({ versions, objects }: KeptTextDeps) {
  const bodies = createBodyReader({ versions, objects })
  return async (versionId: number, omit: OmitRules | null): Promise<Buffer | null> => {
    const version = await versions.version(versionId)
    const found = version === null ? null : await bodies.read(version)
    return found?.kind === 'body' ? textFingerprint(found.body, { contentType: found.contentType, omit }) : null
  }
}
