import { omitRulesOf, type SourceRule } from '../../config/source-rules.ts'
import { textFingerprint } from '../../core/text/document-text.ts'
import { createOmitRules } from '../../core/text/omit-rules.ts'
import type { TextMark } from '../../store/contracts/collection.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import { createBodyReader } from '../body-reader.ts'

export type TextMarks = (versionId: number) => Promise<TextMark | null>

/** Fingerprints of the texts of versions that lose their bodies: afterwards nobody can tell what they were. */
export function createTextMarks(
  { versions, objects }: { versions: Pick<VersionStore, 'version'>; objects: Pick<ObjectStore, 'read'> },
  sources: readonly SourceRule[],
): TextMarks {
  const bodies = createBodyReader({ versions, objects })
  const omitFor = createOmitRules(omitRulesOf(sources))
  return async (versionId) => {
    const version = await versions.version(versionId)
    const found = version === null ? null : await bodies.read(version)
    if (version === null || found?.kind !== 'body') return null
    const omit = omitFor(version.url)
    const text = textFingerprint(found.body, { contentType: found.contentType, omit })
    return text === null ? null : { text, rules: omit?.id ?? 0 }
  }
}
